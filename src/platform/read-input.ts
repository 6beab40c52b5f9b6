import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import type { Host } from './host.ts'
import { describeSystemError } from './system-error.ts'

/** Reads a file named on the command line; `-` is standard input. */
export async function readBytes(host: Host, path: string, signal: AbortSignal): Promise<Uint8Array> {
  return collect(path === '-' ? host.stdin : await openFile(path), nameOf(path), signal)
}

/** The same as text. Bytes that are not UTF-8 are an error, not replaced. */
export async function readText(host: Host, path: string, signal: AbortSignal): Promise<string> {
  const bytes = await readBytes(host, path, signal)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Failure('usage', `${nameOf(path)} is not UTF-8 text`, { cause: error })
  }
}

const nameOf = (path: string) => (path === '-' ? 'standard input' : path)

/** Removes the one newline that `echo` and editors add at the end. */
export const withoutFinalNewline = (text: string): string => text.replace(/\r?\n$/, '')

async function openFile(path: string): Promise<Readable> {
  const { createReadStream } = await import('node:fs')
  return createReadStream(path)
}

async function collect(source: Readable, name: string, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const stop = () => source.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of source) chunks.push(chunk)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new Failure('usage', `${name} can't be read: ${describeSystemError(error)}`, { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return Buffer.concat(chunks)
}
