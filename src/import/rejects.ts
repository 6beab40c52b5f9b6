import { createHash } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { Failure, ignoreFailure } from '../failure.ts'
import {
  isUnwritablePlace,
  spaceHint,
  systemErrorCode,
  systemFailure,
  unlessSystemFails
} from '../platform/errno.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { openPipeToWrite } from '../platform/named-pipe.ts'
import { orAborted, writeChunk } from '../platform/promises.ts'
import { inodeAt, realPathOf, statsOf } from '../platform/same-file.ts'
import { forgetImportsOf, shortDigest } from './journals-directory.ts'
import type { RowResult } from './results.ts'
import type { RowLayout } from './rows.ts'

/** Refuses a file that cannot be written, before anything is changed. */
export function requireWritableRejects(path: string): void {
  requireOwnLinks(path)
  requireWritable(path)
  try {
    if (statsOf(path)?.isDirectory())
      throw new Failure('usage', `${path} cannot be written: it is a directory`)
    const changed = existsSync(path) ? path : dirname(realPathOf(path))
    accessSync(changed, constants.W_OK)
  } catch (error) {
    throw unwritable(path, error)
  }
}

interface RejectsOptions {
  /** Ends every wait for the reader of a named pipe. */
  readonly interruption: AbortSignal
  readonly makeJournals: () => Promise<string>
  readonly notice: (code: string, message: string) => Promise<void>
}

/**
 * Opens a file that receives the rejected and invalid rows unchanged, so that they can be corrected
 * and imported again.
 */
export async function openRejects(path: string, options: RejectsOptions) {
  const { interruption: signal, makeJournals, notice } = options
  const stats = statsOf(path)
  const isPipe = stats?.isFIFO() ?? false
  const keepsRows = stats?.isFile() ?? true
  // Without a directory for journals, nothing is known about earlier rejects.
  const journals = keepsRows ? await makeJournals().catch(ignoreFailure) : undefined
  const record = journals && join(journals, `${shortDigest(realPathOf(path))}.written`)
  const stream = isPipe
    ? await openPipeToWrite(path, signal)
    : createWriteStream('', { fd: await openToWrite(path, record, notice) })
  if (journals !== undefined) forgetImportsOf(path, journals)
  // Each write reports its own failure; without a listener, it would end the process as well.
  stream.on('error', () => {})
  const hash = createHash('sha256')
  let isBroken = false
  let isArray = false
  let count = 0

  const orExplained = async (writing: Promise<void>) => {
    try {
      await (isPipe ? orAborted(writing, signal) : writing)
    } catch (error) {
      isBroken = true
      throw systemFailure(error, 'local', `${path} cannot be written`, spaceHint(error, path))
    }
  }
  const put = async (...parts: readonly Buffer[]) => {
    const bytes = Buffer.concat(parts)
    if (isBroken || bytes.length === 0) return
    await orExplained(writeChunk(stream, bytes))
    hash.update(bytes)
    // After each write, so that even a kill leaves a file that is known.
    const digest = hash.copy().digest('hex')
    if (record !== undefined)
      unlessSystemFails(() => writeFileSync(record, digest, { mode: 0o600 }))
  }

  return {
    /** Whether it has rows that can be corrected and imported again. */
    hasRows: () => keepsRows && count > 0,
    /** Writes the rows among these that belong in the file. */
    add(results: readonly RowResult[], { format, header }: RowLayout) {
      isArray = format === 'json'
      const parts: Buffer[] = []
      for (const result of results) {
        if (!isKept(result)) continue
        const top = count === 0 ? header?.() : undefined
        if (top !== undefined) parts.push(top, lineEnd)
        const { bytes } = result.row.raw
        if (isArray) parts.push(Buffer.from(count === 0 ? '[\n' : ',\n'), bytes)
        else parts.push(bytes, lineEnd)
        count += 1
      }
      return put(...parts)
    },
    async close() {
      try {
        if (isArray && count > 0) await put(Buffer.from('\n]\n'))
        // Some file systems report only now that the disk is full.
        if (!isBroken) await orExplained(finished(stream.end()))
      } finally {
        stream.destroy()
      }
    }
  }
}

export type RejectsFile = Awaited<ReturnType<typeof openRejects>>

const lineEnd = Buffer.from('\n')

/** A missing JSON element has no bytes, and neither has a row that is too large. */
function isKept({ row, outcome }: RowResult): boolean {
  const isToCorrect = outcome === 'rejected' || outcome === 'invalid'
  return isToCorrect && row.raw.bytes.length > 0
}

/**
 * Opens the file or the device. Only what this program has written to a file is removed, which the
 * record tells; without one, the file counts as changed.
 */
async function openToWrite(
  path: string,
  record: string | undefined,
  notice: RejectsOptions['notice']
): Promise<number> {
  try {
    const stats = statsOf(path)
    const isDevice = stats !== undefined && !stats.isFile()
    const file = isDevice
      ? openSync(path, constants.O_WRONLY | constants.O_NOCTTY)
      : await openFile(realPathOf(path), record, notice)
    requireSamePlace(path, file)
    if (fstatSync(file).isFile()) ftruncateSync(file)
    return file
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** No link is followed: the path is a real one, so a link there was made since. */
async function openFile(
  path: string,
  record: string | undefined,
  notice: RejectsOptions['notice']
): Promise<number> {
  if (existsSync(path)) {
    const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const isEmpty = fstatSync(file).size === 0
    if (isEmpty || (await isUnchanged(file, record))) return file
    closeSync(file)
    renameSync(path, keptPathOf(path))
    const why = 'petstore did not write it, or it was changed since'
    await notice('kept', `kept the former ${path} as ${keptPathOf(path)}: ${why}`)
  }
  return openSync(path, 'wx')
}

/** Whether the open file has exactly what this program has written to it. */
async function isUnchanged(file: number, record: string | undefined): Promise<boolean> {
  const recorded = record && unlessSystemFails(() => readFileSync(record, 'utf8'))
  if (recorded === undefined) return false
  const hash = createHash('sha256')
  const content = createReadStream('', { fd: file, start: 0, autoClose: false })
  for await (const bytes of content) hash.update(bytes)
  return hash.digest('hex') === recorded
}

/** Where a file goes whose place the rejects take. */
export const keptPathOf = (path: string): string => `${realPathOf(path)}~`

/** Refuses a file that is not where the path leads: another user may have exchanged a directory. */
function requireSamePlace(path: string, file: number): void {
  requireOwnLinks(path)
  if (inodeAt(path) !== inodeAt(file))
    throw new Failure('local', `${path} was replaced while petstore opened it`)
}

/** Only a wrong path is a mistake on the command line. */
function unwritable(path: string, error: unknown): unknown {
  const isWrongPath = isUnwritablePlace(error) || systemErrorCode(error) === 'EISDIR'
  const code = isWrongPath ? 'usage' : 'local'
  const hint = spaceHint(error, dirname(path))
  return systemFailure(error, code, `${path} cannot be written`, hint)
}
