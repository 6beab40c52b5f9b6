import { createHash, type Hash, randomBytes } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { type FileHandle, open, stat, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { describeSystemError, systemErrorCode } from '../platform/system-error.ts'
import { formatByContent, type ImportFormat } from './format.ts'

/** What identifies an input regardless of its name. */
export interface InputIdentity {
  readonly sha256: string
  readonly size: number
}

/** The source of the rows. */
export interface Input {
  /** Shown in messages. */
  readonly name: string
  /** Undefined if the input can be read only once. */
  readonly identity: InputIdentity | undefined
  /** The format that the first character shows; undefined if the input can be read only once. */
  readonly format: ImportFormat | undefined
  /** The whole content; the signal ends it early. Fails if the file changes meanwhile. */
  chunks(signal: AbortSignal): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

interface InputOptions {
  /** `-` for standard input. */
  readonly path: string
  readonly stdin: Readable
  readonly signal: AbortSignal
  /** An input that can be read only once is first copied beside this file, so that its import can be resumed. */
  readonly copyBeside?: string | undefined
}

const chunkSize = 256 * 1024
/** A few hundred rows: with larger chunks, the rows live long enough for V8 to move them to its old generation. */
const rowsChunkSize = 32 * 1024

export async function openInput({ path, stdin, signal, copyBeside }: InputOptions): Promise<Input> {
  if (path === '-') return openPipe(() => stdin, 'standard input', copyBeside, signal)
  const file = await openRegularFile(path)
  if (file !== undefined) return openFile(file, path, signal)
  return openPipe(() => createReadStream(path, { highWaterMark: chunkSize }), path, copyBeside, signal)
}

/** Opening and closing a pipe here would end its writer. */
async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  try {
    const stats = await stat(path)
    if (!stats.isDirectory()) return stats.isFile() ? await open(path) : undefined
  } catch (error) {
    throw new Failure('usage', `${path} cannot be read: ${describeSystemError(error)}`, { cause: error })
  }
  throw new Failure('usage', `${path} is a directory`)
}

/** A pipe or standard input, which can be read only once. The stream is opened where its errors are handled. */
async function openPipe(
  openStream: () => Readable,
  name: string,
  copyBeside: string | undefined,
  signal: AbortSignal,
): Promise<Input> {
  if (copyBeside === undefined) {
    return {
      name,
      identity: undefined,
      format: undefined,
      chunks: (ending) => readThrough(openStream(), name, ending),
      close: async () => {},
    }
  }
  // A new name: an existing file must not be overwritten, and might be the input itself.
  const copyPath = `${copyBeside}.${randomBytes(8).toString('hex')}.tmp`
  const copy = await open(copyPath, 'wx+', 0o600).catch((error: unknown) => {
    throw new Failure('local', `${name} cannot be copied to ${copyPath}: ${describeSystemError(error)}`, {
      cause: error,
    })
  })
  // Without a name, no copy is left behind, however the program ends.
  await unlink(copyPath)
  try {
    for await (const chunk of readThrough(openStream(), name, signal)) await copy.appendFile(chunk)
  } catch (error) {
    await copy.close()
    if (error instanceof Failure) throw error
    throw new Failure('local', `${name} cannot be copied beside the journal: ${describeSystemError(error)}`, {
      cause: error,
    })
  }
  return openFile(copy, name, signal)
}

async function openFile(file: FileHandle, name: string, signal: AbortSignal): Promise<Input> {
  const { identity, format } = await identify(file, name, signal).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  return {
    name,
    identity,
    format,
    async *chunks(ending) {
      const hash = createHash('sha256')
      yield* hashed(streamOf(file, identity.size, rowsChunkSize), hash, name, ending)
      if (!ending.aborted && hash.digest('hex') !== identity.sha256) {
        throw new Failure('local', `${name} was changed while it was imported`)
      }
    },
    close: () => file.close(),
  }
}

async function identify(
  file: FileHandle,
  name: string,
  signal: AbortSignal,
): Promise<{ identity: InputIdentity; format: ImportFormat | undefined }> {
  const hash = createHash('sha256')
  let size = 0
  let format: ImportFormat | undefined
  for await (const chunk of hashed(streamOf(file, Number.POSITIVE_INFINITY, chunkSize), hash, name, signal)) {
    size += chunk.length
    format ??= formatByContent(chunk)
  }
  if (signal.aborted) throw signal.reason
  return { identity: { sha256: hash.digest('hex'), size }, format }
}

/** Bytes appended during the import are not part of the input. */
function streamOf(file: FileHandle, size: number, highWaterMark: number): ReadStream | undefined {
  return size === 0 ? undefined : file.createReadStream({ start: 0, end: size - 1, autoClose: false, highWaterMark })
}

async function* hashed(
  stream: ReadStream | undefined,
  hash: Hash,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (stream === undefined) return
  for await (const chunk of readThrough(stream, name, signal)) {
    hash.update(chunk)
    yield chunk
  }
}

/** Ends without an error at the signal, even if the stream never delivers anything. */
async function* readThrough(stream: Readable, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stop = () => stream.destroy()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stream) yield chunk
  } catch (error) {
    if (signal.aborted) return
    const code = systemErrorCode(error) === 'EISDIR' || isOpenError(error) ? 'usage' : 'local'
    throw new Failure(code, `${name} cannot be read: ${describeSystemError(error)}`, { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** A file that cannot be opened is a usage error; a read that fails later is a local problem. */
function isOpenError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open'
}
