import { randomBytes } from 'node:crypto'
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
import { formatByName, type ImportFormat } from './format.ts'
import { KnownContent } from './known-content.ts'
import { countRows } from './rows.ts'

export interface InputContent {
  readonly sha256: string
  readonly size: number
  readonly rows: number
}

/** The source of the rows. */
export interface ImportInput {
  /** As the user typed it, for messages. */
  readonly name: string
  /** The real path, whatever name the user typed; undefined if there is none. */
  readonly path?: string | undefined
  /** Undefined if the input can be read only once. */
  readonly content?: InputContent | undefined
  /** Undefined if it is not known before the rows are read. */
  readonly format: ImportFormat | undefined
  /**
   * The whole content; the signal ends it early. Fails at the first place where a file has changed
   * meanwhile.
   */
  chunks(signal: AbortSignal): AsyncGenerator<Uint8Array>
  /** Whether that happened. */
  hasChanged?(): boolean
  /** How many bytes were appended since it was opened. */
  grownBy?(): number
  close(): Promise<void>
}

interface InputOptions {
  /** `-` for standard input. */
  readonly path: string
  /** The one that the user chose. */
  readonly format?: ImportFormat | undefined
  readonly commandForCsv?: string | undefined
  readonly stdin: Readable
  readonly signal: AbortSignal
  /**
   * An input that can be read only once is first copied beside this file, so that it has a known
   * content.
   */
  readonly copyBeside?: string | undefined
}

export async function openInput({
  path,
  stdin,
  signal,
  copyBeside,
  ...options
}: InputOptions): Promise<ImportInput> {
  const name = nameOf(path)
  const file = path === '-' ? undefined : await openRegularFile(path)
  if (file !== undefined)
    return fileInput(file, { ...options, name, path: realPathOf(path), signal })
  const stream = (ending: AbortSignal) =>
    addAbortSignal(ending, path === '-' ? stdin : openToRead(path))
  if (copyBeside === undefined) {
    const chunks = (ending: AbortSignal) => untilAborted(stream, name, ending)
    const format = options.format ?? formatByName(path)
    return { name, format, chunks, close: async () => {} }
  }
  const copy = await copyOf(untilAborted(stream, name, signal), name, copyBeside)
  return fileInput(copy, { ...options, name, signal })
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
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  beside: string,
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

/** Ends without an error if the signal aborts, even if nothing ever arrives. */
async function* untilAborted(
  chunksOf: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return
  try {
    yield* chunksOf(signal)
  } catch (error) {
    if (!signal.aborted) throw inputFailure(error, name)
  }
}

/**
 * Holds some hundred rows. With larger chunks, the rows live long enough for V8 to move them to its
 * old generation.
 */
const chunkSize = 32 * 1024

const wholeFile = Number.POSITIVE_INFINITY

interface FileOptions {
  readonly name: string
  readonly path?: string
  readonly format?: ImportFormat | undefined
  readonly commandForCsv?: string | undefined
  readonly signal: AbortSignal
}

/** Reads the file once, to know its content and to count its rows. */
async function fileInput(file: FileHandle, options: FileOptions): Promise<ImportInput> {
  const { name, path, signal } = options
  const known = new KnownContent()
  try {
    const read = () => chunksOf(file, wholeFile, signal)
    const chunks = untilAborted(read, name, signal)
    const { rows, format } = await countRows(known.learn(chunks), options)
    signal.throwIfAborted()
    return new FileInput(file, known, { name, path, format, rows })
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

/** A file whose content is known, so that a second reading yields the same rows or fails. */
class FileInput implements ImportInput {
  readonly name: string
  readonly path: string | undefined
  readonly content: InputContent
  readonly format: ImportFormat | undefined
  readonly #file: FileHandle
  readonly #known: KnownContent
  #isChanged = false

  constructor(
    file: FileHandle,
    known: KnownContent,
    facts: Pick<ImportInput, 'name' | 'path' | 'format'> & Pick<InputContent, 'rows'>,
  ) {
    this.name = facts.name
    this.path = facts.path
    this.format = facts.format
    this.content = { sha256: known.sha256(), size: known.size, rows: facts.rows }
    this.#file = file
    this.#known = known
  }

  /** Bytes that were appended since the first reading are not part of the input. */
  async *chunks(ending: AbortSignal): AsyncGenerator<Uint8Array> {
    const { size } = this.content
    const read = () => chunksOf(this.#file, size, ending)
    const chunks = untilAborted(read, this.name, ending)
    const known = yield* this.#known.unchanged(chunks)
    this.#isChanged = known < size && !ending.aborted
    if (!this.#isChanged) return
    throw new Failure(
      'local',
      `${this.name} changed during the import, which needs its old content to continue`,
      { hint: 'petstore help import' },
    )
  }

  hasChanged(): boolean {
    return this.#isChanged
  }

  grownBy(): number {
    const { size } = this.content
    return (statsOf(this.#file.fd)?.size ?? size) - size
  }

  /** Nothing was written to the file, so nothing is lost if this fails. */
  close(): Promise<void> {
    return this.#file.close().catch(() => {})
  }
}

/** Not as a stream, which would close the file where it ends early. */
async function* chunksOf(
  file: FileHandle,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < end; ) {
    const into = Buffer.allocUnsafe(Math.min(chunkSize, end - position))
    const { bytesRead } = await orAborted(file.read(into, { position }), signal)
    if (bytesRead === 0) return
    position += bytesRead
    yield into.subarray(0, bytesRead)
  }
}

/** A file that cannot be opened is a usage error; a read that fails later is a local problem. */
function inputFailure(error: unknown, name: string): unknown {
  const isDirectory = systemErrorCode(error) === 'EISDIR'
  const isUnopened = (error as NodeJS.ErrnoException).syscall === 'open'
  const code = isDirectory || isUnopened ? 'usage' : 'local'
  return systemFailure(error, code, `${name} cannot be read`)
}
