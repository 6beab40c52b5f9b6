import { createHash, type Hash, randomBytes } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { type FileHandle, open, stat, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { describeFault, errorCode } from '../platform/system-error.ts'
import { formatByContent, type ImportFormat } from './format.ts'

/** What an input is, whatever it is called. */
export interface Identity {
  readonly sha256: string
  readonly size: number
}

/** What the rows come from. */
export interface Input {
  /** For messages. */
  readonly name: string
  /** Undefined for what can be read only once. */
  readonly identity: Identity | undefined
  /** What its first character says; undefined where it is not known before it is read, or says nothing. */
  readonly format: ImportFormat | undefined
  /** Everything in it, from the beginning; the signal ends it early. A file that changes meanwhile is a failure. */
  chunks(signal: AbortSignal): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

interface InputOptions {
  /** `-` for standard input. */
  readonly path: string
  readonly stdin: Readable
  readonly signal: AbortSignal
  /** Beside which file an input that can be read only once is copied first, so that an import of it can be resumed. */
  readonly copyBeside?: string | undefined
}

const chunkSize = 256 * 1024
/** Some hundred rows: those of a larger chunk would live long enough for V8 to take them for what stays. */
const rowsSize = 32 * 1024

export async function openInput({ path, stdin, signal, copyBeside }: InputOptions): Promise<Input> {
  if (path === '-') return onceOnly(() => stdin, 'standard input', copyBeside, signal)
  const file = await openRegularFile(path)
  if (file !== undefined) return wholeFile(file, path, signal)
  return onceOnly(() => createReadStream(path, { highWaterMark: chunkSize }), path, copyBeside, signal)
}

/** A pipe is not opened here: whoever writes to it would take the closing for our end. */
async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  try {
    const stats = await stat(path)
    if (!stats.isDirectory()) return stats.isFile() ? await open(path) : undefined
  } catch (error) {
    throw new Failure('usage', `${path} can't be read: ${describeFault(error)}`, { cause: error })
  }
  throw new Failure('usage', `${path} is a directory`)
}

/** Something that is gone once it was read: a pipe, or standard input. It is opened by whoever hears of its faults. */
async function onceOnly(
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
  // Under a name that is nobody's: what is already there may be dear to somebody, or be the very input.
  const place = `${copyBeside}.${randomBytes(8).toString('hex')}.tmp`
  const copy = await open(place, 'wx+', 0o600).catch((error: unknown) => {
    throw new Failure('local', `${name} can't be copied to ${place}: ${describeFault(error)}`, { cause: error })
  })
  // Nobody else needs the name, and so nothing is left behind whatever happens.
  await unlink(place)
  try {
    for await (const chunk of readThrough(openStream(), name, signal)) await copy.appendFile(chunk)
  } catch (error) {
    await copy.close()
    if (error instanceof Failure) throw error
    throw new Failure('local', `${name} can't be copied beside the journal: ${describeFault(error)}`, { cause: error })
  }
  return wholeFile(copy, name, signal)
}

async function wholeFile(file: FileHandle, name: string, signal: AbortSignal): Promise<Input> {
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
      yield* hashed(streamOf(file, identity.size, rowsSize), hash, name, ending)
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
): Promise<{ identity: Identity; format: ImportFormat | undefined }> {
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

/** What is appended behind the end while it is read is no part of it. */
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

/** Ends quietly at the signal, even where the stream itself would wait for ever. */
async function* readThrough(stream: Readable, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stop = () => stream.destroy()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stream) yield chunk
  } catch (error) {
    if (signal.aborted) return
    const code = errorCode(error) === 'EISDIR' || isOfOpening(error) ? 'usage' : 'local'
    throw new Failure(code, `${name} can't be read: ${describeFault(error)}`, { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** What can't even be opened is no file to import; what ends in the middle is this machine's trouble. */
function isOfOpening(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open'
}
