import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { getSystemErrorMap } from 'node:util'
import { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'

/** Whoever read the stream has gone (`| head -1`). */
export class ClosedPipe extends Error {
  constructor(name: string, cause: unknown) {
    super(`nobody reads ${name} any more`, { cause })
    this.name = 'ClosedPipe'
  }
}

/** A socket may stand for a pipe, and after the first loss Node has words of its own. */
const closedCodes = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** Writes to one of the machine's own streams, which is opened only where it has to be. */
export async function print(host: Host, stream: 'stdout' | 'stderr', data: string | Uint8Array): Promise<void> {
  const name = stream === 'stdout' ? 'standard output' : 'standard error'
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  let taken = 0
  try {
    taken = host.writeAtOnce?.(stream, bytes) ?? 0
  } catch (error) {
    throw explain(error, name)
  }
  if (taken < bytes.length) await write(host[stream], bytes.subarray(taken), name)
}

/** Writes all of it, and waits until it is taken; throws ClosedPipe, or a failure in plain words. */
export async function write(stream: Writable, data: string | Uint8Array, name = 'standard output'): Promise<void> {
  // A stream reports a failed write twice, and without a listener the second report would end the process.
  if (!stream.listeners('error').includes(ignoreError)) stream.on('error', ignoreError)
  try {
    const file = idleFile(stream)
    if (file === undefined) await writeChunk(stream, data)
    else writeWhole(file, data)
  } catch (error) {
    throw explain(stream.errored ?? error, name)
  }
}

function ignoreError(): void {}

function writeChunk(stream: Writable, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => (error ? reject(error) : resolve()))
  })
}

/** The descriptor of a stream that stands for a regular file and has nothing waiting. */
function idleFile(stream: Writable): number | undefined {
  if (!('fd' in stream) || typeof stream.fd !== 'number' || stream.destroyed || stream.writableLength > 0)
    return undefined
  return fstatSync(stream.fd).isFile() ? stream.fd : undefined
}

/**
 * Node writes a stdout that is a file with one call and does not look how much of it was taken: on a disk that is
 * nearly full, the rest would be lost without a word.
 */
function writeWhole(descriptor: number, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}

function explain(error: unknown, name: string): ClosedPipe | Failure {
  const { code, errno, message } = error as NodeJS.ErrnoException
  if (code !== undefined && closedCodes.has(code)) return new ClosedPipe(name, error)
  const words = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]
  return new Failure('local', `${name} can't be written: ${words ?? message}`, { cause: error })
}
