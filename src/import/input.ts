import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, closeSync, openSync, read, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { promisify } from 'node:util'
import { Failure } from '../failure.ts'
import { systemFailure } from '../system/errno.ts'
import { nameOf, openSource } from '../system/read-input.ts'
import { realPathOf, statsOf } from '../system/same-file.ts'
import { formatByContent, formatByName, type Layout, layoutOf } from './formats.ts'
import type { ImportOptions } from './options.ts'

export interface ImportInput {
  /** As the user typed it, for messages. */
  readonly name: string
  /** The real path; undefined for a pipe, which cannot be read again. */
  readonly path: string | undefined
  readonly sha256: string
  readonly layout: Layout
  /** Its bytes from the beginning. Throws if they are not those of the first time. */
  readonly chunks: () => AsyncIterable<Buffer>
  /** A small file is read at once, and may change before all of it is sent. */
  readonly requireUnchanged: () => void
  /** Aborted when no more is to be read. */
  readonly signal: AbortSignal
  readonly close: () => void
}

/** Small chunks keep the rows in memory few. */
const chunkSize = 16 * 1024

/** Reads the input once for its hash, which decides which import it is. */
export async function openInput(options: ImportOptions, signal: AbortSignal): Promise<ImportInput> {
  const { path } = options
  const name = nameOf(path)
  const fail = (error: unknown): never => {
    throw signal.aborted ? signal.reason : systemFailure(error, 'usage', `${name} cannot be read`)
  }
  const isFile = path !== '-' && statsOf(path)?.isFile() === true
  const before = isFile ? stampOf(path) : undefined
  const opening = isFile ? openFile(path) : copyInput(options, signal)
  const file = await opening.catch(fail)
  const requireUnchanged = () => {
    if (isFile && stampOf(path) !== before)
      throw new Failure('local', `${name} changed during the import`)
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      signal.throwIfAborted()
      const buffer = Buffer.allocUnsafe(chunkSize)
      const { bytesRead } = await readFile(file, buffer, 0, chunkSize, position).catch(fail)
      requireUnchanged()
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }
  const hash = createHash('sha256')
  let beginning = ''
  for await (const chunk of chunks()) {
    hash.update(chunk)
    // Blank lines in front may fill more than a chunk.
    if (beginning.length < chunkSize)
      beginning = `${beginning}${chunk}`.replace(/^(\ufeff?)[^\S\ufeff]+/, '$1')
  }
  const layout = layoutOf(beginning, options.format ?? formatByName(path))
  if (layout === undefined) throw new Failure('usage', `${name} is empty`)
  if (beginning.startsWith('PK\u0003'))
    throw new Failure('usage', `${name} is a spreadsheet or an archive: save it as CSV`)
  const content = formatByContent(beginning.trimStart().charAt(0))
  if (layout.format === 'csv' && content !== 'csv')
    throw new Failure('usage', `${name} is JSON and not CSV: use --format ${content}`)
  return {
    name,
    path: isFile ? realPathOf(path) : undefined,
    sha256: hash.digest('hex'),
    layout,
    chunks,
    requireUnchanged,
    signal,
    close: () => closeSync(file)
  }
}

const openFile = async (path: string) => openSync(path, 'r')

const readFile = promisify(read)

/** Copies a pipe or a device into a file without a name, which ends with this process. */
async function copyInput({ path, stdin, makeDirectory }: ImportOptions, signal: AbortSignal) {
  const source = path === '-' ? stdin : openSource(path)
  const directory = await makeDirectory()
  const copy = join(directory, `${randomBytes(8).toString('hex')}.tmp`)
  const file = openSync(copy, 'wx+', 0o600)
  // Also what a process left that was killed between the two calls.
  for (const name of readdirSync(directory).filter(other => /^[0-9a-f]{16}\.tmp$/.test(other)))
    rmSync(join(directory, name), { force: true })
  for await (const chunk of addAbortSignal(signal, source)) appendFileSync(file, chunk)
  return file
}

/** Another one if the file was changed or replaced. */
export function stampOf(path: string): string {
  const found = statsOf(path)
  return `${found?.ino} ${found?.size} ${found?.mtimeMs}`
}
