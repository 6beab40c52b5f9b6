import { isUtf8 } from 'node:buffer'
import { constants, createReadStream, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { systemFailure } from './errno.ts'
import type { Host } from './host.ts'
import { statsOf } from './same-file.ts'

/** It limits the memory that an endless input takes. */
const mostMebibytes = 64

interface Run {
  readonly host: Host
  readonly interruption: { readonly signal: AbortSignal }
}

/** Reads a file named on the command line; `-` is standard input. A longer one is refused. */
export async function readBytes({ host, interruption }: Run, path: string): Promise<Uint8Array> {
  const { signal } = interruption
  // Loaded late: most commands read nothing.
  const { addAbortSignal } = await import('node:stream')
  const name = nameOf(path)
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of addAbortSignal(
      signal,
      path === '-' ? host.stdin : openSource(path)
    )) {
      chunks.push(chunk)
      length += chunk.length
      if (length > mostMebibytes * 2 ** 20)
        throw new Failure('usage', `${name} is larger than ${mostMebibytes} MiB`)
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : systemFailure(error, 'usage', `${name} cannot be read`)
  }
  return Buffer.concat(chunks)
}

/** The bytes of a file, a pipe or a device. */
export function openSource(path: string): Readable {
  if (!statsOf(path)?.isFIFO()) return createReadStream(path)
  // Without a writer, a thread would wait in `open`, and a process waits for its threads.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const { Socket } = process.getBuiltinModule('node:net')
  return new Socket({ fd: file, writable: false })
}

/** Reads a file as text. Bytes that are not UTF-8 are an error, and never replaced. */
export async function readText(run: Run, path: string): Promise<string> {
  const bytes = await readBytes(run, path)
  if (!isUtf8(bytes)) throw new Failure('usage', `${nameOf(path)} is not UTF-8 text`)
  return new TextDecoder().decode(bytes)
}

/** The name of a file in messages. */
export const nameOf = (path: string) => (path === '-' ? 'standard input' : path || "''")
