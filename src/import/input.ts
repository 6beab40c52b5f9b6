import { createHash, hash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { spaceHint, systemErrorCode, systemFailure, unlessSystemFails } from '../platform/errno.ts'
import { removeFile } from '../platform/file-access.ts'
import { openToRead } from '../platform/named-pipe.ts'
import { removeTemporaryFiles } from '../platform/private-file.ts'
import { orAborted } from '../platform/promises.ts'
import { nameOf } from '../platform/read-input.ts'
import { realPathOf, statsOf } from '../platform/same-file.ts'
import { countRows, type ReadingOptions } from './rows.ts'

type KnownInput = Awaited<ReturnType<typeof knownFile>>

export type InputContent = KnownInput['content']

/** The source of the rows. Less is known of an input that can be read only once. */
export type ImportInput = Pick<KnownInput, 'name' | 'chunks' | 'close'> &
  Readonly<Partial<KnownInput>>

interface InputOptions extends Omit<ReadingOptions, 'name'> {
  /** `-` for standard input. */
  readonly path: string
  readonly stdin: Readable
  /** Ends every reading with its reason, even if nothing ever arrives. */
  readonly signal: AbortSignal
  /**
   * An input that can be read only once is first copied beside this file, so that it has a known
   * content.
   */
  readonly copyBeside?: string | undefined
}

export async function openInput(options: InputOptions): Promise<ImportInput> {
  const { path, copyBeside } = options
  const name = nameOf(path)
  const file = path === '-' ? undefined : await openRegularFile(path)
  if (file !== undefined) return knownFile(file, options, realPathOf(path))
  const chunks = () => readStream(options)
  if (copyBeside !== undefined) return knownFile(await copyOf(chunks(), name, copyBeside), options)
  return { name, chunks, close: async () => {} }
}

/** Undefined for a pipe or a device, whose content can be read only once. */
async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  try {
    return statSync(path).isFile() ? await open(path, 'r') : undefined
  } catch (error) {
    throw systemFailure(error, 'usage', `${nameOf(path)} cannot be read`)
  }
}

async function copyOf(
  chunks: AsyncIterable<Buffer>,
  name: string,
  beside: string
): Promise<FileHandle> {
  // A new name: an existing file must not be overwritten, and might be the input itself.
  const copyPath = `${beside}.${randomBytes(8).toString('hex')}.tmp`
  let copy: FileHandle | undefined
  try {
    // A kill between the next two calls leaves an empty file behind.
    removeTemporaryFiles(beside)
    copy = await open(copyPath, 'wx+', 0o600)
    // Without a name, no copy is left behind, however the program ends.
    removeFile(copyPath)
    await writeFile(copy, chunks)
    return copy
  } catch (error) {
    await copy?.close()
    unlessSystemFails(() => removeFile(copyPath))
    const hint = spaceHint(error, dirname(beside))
    throw systemFailure(error, 'local', `${name} cannot be copied to ${copyPath}`, hint)
  }
}

async function* readStream(options: InputOptions): AsyncGenerator<Buffer> {
  const { path, signal } = options
  try {
    signal.throwIfAborted()
    yield* addAbortSignal(signal, openToRead(path, options))
  } catch (error) {
    throw signal.aborted ? signal.reason : inputFailure(error, nameOf(path))
  }
}

/**
 * Holds some hundred rows. With larger chunks, the rows live long enough for V8 to move them to its
 * old generation.
 */
const chunkSize = 32 * 1024

const digestOf = (chunk: Buffer) => hash('sha256', chunk, 'base64')

/** Reads the file once, so that a second reading yields the same rows or fails. */
async function knownFile(file: FileHandle, options: InputOptions, path?: string) {
  const name = nameOf(options.path)
  const whole = createHash('sha256')
  const known: { readonly length: number; readonly digest: string }[] = []
  let size = 0

  // Not as a stream, which would close the file where it ends early.
  const read = async (position: number, length: number) => {
    const into = Buffer.allocUnsafe(length)
    const reading = file.read(into, { position })
    try {
      const { bytesRead } = await orAborted(reading, options.signal)
      return into.subarray(0, bytesRead)
    } catch (error) {
      throw inputFailure(error, name)
    }
  }
  async function* learn() {
    for (;;) {
      const chunk = await read(size, chunkSize)
      if (chunk.length === 0) return
      whole.update(chunk)
      size += chunk.length
      known.push({ length: chunk.length, digest: digestOf(chunk) })
      yield chunk
    }
  }
  /** Nothing was written to the file, so nothing is lost if this fails. */
  const close = () => file.close().catch(() => {})

  try {
    const { rows, format } = await countRows(learn(), { ...options, name })
    return {
      /** As the user typed it, for messages. */
      name,
      /** The real path, whatever name the user typed; undefined if there is none. */
      path,
      format,
      content: { sha256: whole.digest('hex'), size, rows },
      /** Whether it has changed since it was opened, in what was then its content. */
      hasChanged: false,
      /**
       * Yields only what is the same as before, because a journal knows the rows by their numbers.
       * Bytes that were appended since are not part of the input.
       */
      async *chunks(): AsyncGenerator<Buffer> {
        let position = 0
        for (const { length, digest } of known) {
          const chunk = await read(position, length)
          this.hasChanged = digestOf(chunk) !== digest
          if (this.hasChanged) throw changedFile(name)
          position += length
          yield chunk
        }
      },
      /** How many bytes were appended since it was opened. */
      grownBy: () => (statsOf(file.fd)?.size ?? 0) - size,
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

const changedFile = (name: string) =>
  new Failure(
    'local',
    `${name} changed during the import, which needs its old content to continue`,
    {
      hint: 'petstore help import'
    }
  )

/** A file that cannot be opened is a usage error; a read that fails later is a local problem. */
function inputFailure(error: unknown, name: string): unknown {
  const isDirectory = systemErrorCode(error) === 'EISDIR'
  const isUnopened = (error as NodeJS.ErrnoException).syscall === 'open'
  const code = isDirectory || isUnopened ? 'usage' : 'local'
  return systemFailure(error, code, `${name} cannot be read`)
}
