import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { systemFailure } from './errno.ts'
import type { Host } from './host.ts'

const mebibyte = 2 ** 20

/** The service accepts no larger body. It also limits the memory that an endless input takes. */
const mostText = mebibyte

/** For `api`, whose service may be another one. */
const mostBytes = 64 * mebibyte

/** Reads a file named on the command line; `-` is standard input. */
export async function readBytes(
  host: Host,
  path: string,
  signal: AbortSignal,
  most = mostBytes,
): Promise<Uint8Array> {
  return readAll(path === '-' ? host.stdin : await openNamed(path), {
    name: nameOf(path),
    most,
    signal,
  })
}

/** The same as text. Bytes that are not UTF-8 are an error, and never replaced. */
export async function readText(host: Host, path: string, signal: AbortSignal): Promise<string> {
  return decoded(await readBytes(host, path, signal, mostText), nameOf(path))
}

/**
 * Reads standard input as text if it is not certain that data will arrive: a script whose standard
 * input stays open and silent must not hang. After the first byte there is no time limit.
 */
export async function readPipe(
  { stdin }: Host,
  seconds: number,
  signal: AbortSignal,
): Promise<string> {
  const silence = new AbortController()
  const message = `nothing arrived on standard input within ${seconds} s (--timeout)`
  const timer = setTimeout(() => silence.abort(new Failure('usage', message)), seconds * 1000)
  const name = nameOf('-')
  try {
    const ending = AbortSignal.any([signal, silence.signal])
    const options = { name, most: mostText, signal: ending, onData: () => clearTimeout(timer) }
    return decoded(await readAll(stdin, options), name)
  } finally {
    clearTimeout(timer)
  }
}

function decoded(bytes: Uint8Array, name: string): string {
  if (!isUtf8(bytes)) throw new Failure('usage', `${name} is not UTF-8 text`)
  return new TextDecoder().decode(bytes)
}

/** The name of a file in messages. */
export const nameOf = (path: string) => (path === '-' ? 'standard input' : path || "''")

/** Removes the one newline that `echo` and editors add at the end. */
export const withoutFinalNewline = (text: string): string => text.replace(/\r?\n$/, '')

async function openNamed(path: string): Promise<Readable> {
  const { openToRead } = await import('./named-pipe.ts')
  try {
    return openToRead(path)
  } catch (error) {
    throw readFailure(nameOf(path), error)
  }
}

interface ReadOptions {
  readonly name: string
  /** A longer input is refused. */
  readonly most: number
  readonly signal: AbortSignal
  readonly onData?: () => void
}

async function readAll(
  source: Readable,
  { name, most, signal, onData }: ReadOptions,
): Promise<Uint8Array> {
  // Loaded late: most commands read nothing.
  const { addAbortSignal } = await import('node:stream')
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of addAbortSignal(signal, source)) {
      onData?.()
      chunks.push(chunk)
      length += chunk.length
      if (length > most) throw new Failure('usage', `${name} is larger than ${most / mebibyte} MiB`)
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof Failure) throw error
    throw readFailure(name, error)
  }
  return Buffer.concat(chunks)
}

function readFailure(name: string, error: unknown): unknown {
  return systemFailure(error, 'usage', `${name} cannot be read`)
}
