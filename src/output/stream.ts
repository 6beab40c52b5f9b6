import { fstatSync, writeFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { Failure } from '../failure.ts'
import { describeSystemError, errorCode } from '../system/errno.ts'
import type { Host } from '../system/host.ts'

/** The reader of the stream has closed it (`| head -1`). */
export class ClosedPipe extends Error {}

/** For `catch`, where the work goes on without a reader. */
export function ignoreClosedPipe(error: unknown): void {
  if (!(error instanceof ClosedPipe)) throw error
}

/** A pipe may be a socket, and after the first failure Node reports its own error codes. */
const closedCodes = [
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE'
]

/**
 * Writes all of the data to stdout or stderr, and waits until the reader has taken it. Node's stream
 * opens only if necessary. Throws ClosedPipe or a Failure, which no message shows where it is stderr.
 */
export async function print(
  host: Host,
  target: 'stdout' | 'stderr',
  data: string | Uint8Array
): Promise<void> {
  const bytes = Buffer.from(data)
  try {
    const taken = host.writeAtOnce(target, bytes)
    const rest = bytes.subarray(taken)
    if (rest.length > 0) await write(host[target], rest)
  } catch (error) {
    const code = errorCode(error) ?? ''
    if (closedCodes.includes(code)) throw new ClosedPipe()
    const problem = `standard output cannot be written: ${describeSystemError(error)}`
    throw new Failure('local', problem, { cause: error })
  }
}

async function write(stream: Writable, bytes: Uint8Array) {
  // A stream reports a failed write twice, and without a listener the second report would end the
  // process.
  const hasListener = stream.listenerCount('error') > 0
  if (!hasListener) stream.on('error', () => {})
  try {
    const file = fileOf(stream)
    if (file !== undefined) return writeFileSync(file, bytes)
    await new Promise<void>((resolve, reject) => {
      stream.write(bytes, error => (error ? reject(error) : resolve()))
    })
  } catch (error) {
    throw stream.errored ?? error
  }
}

/** For `catch`, where nothing depends on the text. Any other error is a bug. */
export function ignoreUnprinted(error: unknown): undefined {
  if (!(error instanceof ClosedPipe || error instanceof Failure)) throw error
}

/**
 * The descriptor of a stream that is a regular file. Node writes to such a stdout with one call, and
 * ignores how many bytes were written: on a nearly full disk the rest would be lost silently.
 */
function fileOf(stream: Writable) {
  const { fd } = stream as { readonly fd?: number }
  const isFile = fd !== undefined && fstatSync(fd).isFile()
  return isFile ? fd : undefined
}
