import { accessSync, constants, createWriteStream, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { Failure } from '../failure.ts'
import { spaceHint, systemFailure } from '../platform/errno.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { openPipeToWrite } from '../platform/named-pipe.ts'
import { orAborted, writeChunk } from '../platform/promises.ts'
import { realPathOf, statsOf } from '../platform/same-file.ts'
import type { ImportFormat } from './format.ts'
import type { RowResult } from './results.ts'
import type { RowLayout } from './rows.ts'

/** What surrounds the rows in each format. */
const separators: Readonly<Record<ImportFormat, { begin: string; between: string; end: string }>> =
  {
    ndjson: { begin: '', between: '\n', end: '\n' },
    csv: { begin: '', between: '\n', end: '\n' },
    json: { begin: '[\n', between: ',\n', end: '\n]\n' },
  }

export interface RejectsFile {
  /** A pipe or a device keeps nothing that could be imported again. */
  readonly keepsRows: boolean
  /** Whether it has rows that can be corrected and imported again. */
  hasRows(): boolean
  /** Writes the rows among these that belong in the file. */
  add(results: readonly RowResult[], layout: RowLayout): Promise<void>
  close(): Promise<void>
}

/** Refuses a file that cannot be written, before anything is changed. */
export function requireWritableRejects(path: string): void {
  requireOwnLinks(path)
  requireWritable(path)
  try {
    if (statsOf(path)?.isDirectory())
      throw new Failure('usage', `${path} cannot be written: it is a directory`)
    accessSync(existsSync(path) ? path : dirname(realPathOf(path)), constants.W_OK)
  } catch (error) {
    throw systemFailure(error, 'usage', `${path} cannot be written`)
  }
}

/**
 * Opens a file that receives the rejected and invalid rows unchanged, so that they can be corrected
 * and imported again. The signal ends every wait for the reader of a named pipe.
 */
export async function openRejects({
  path,
  signal,
}: {
  path: string
  signal: AbortSignal
}): Promise<RejectsFile> {
  const stats = statsOf(path)
  const isPipe = stats?.isFIFO() ?? false
  const stream = isPipe ? await openPipeToWrite(path, signal) : createWriteStream(path)
  // Each write reports its own failure; without a listener, it would end the process as well.
  stream.on('error', () => {})
  let isBroken = false
  let end = ''
  let count = 0

  const orExplained = (writing: Promise<void>) =>
    (isPipe ? orAborted(writing, signal) : writing).catch((error: unknown) => {
      isBroken = true
      throw systemFailure(error, 'local', `${path} cannot be written`, spaceHint(error, path))
    })
  const put = async (bytes: Uint8Array) => {
    if (!isBroken && bytes.length > 0) await orExplained(writeChunk(stream, bytes))
  }
  const bytesOf = (results: readonly RowResult[], { format, header }: RowLayout): Uint8Array => {
    const around = separators[format]
    end = around.end
    const parts: Uint8Array[] = []
    for (const { row, outcome } of results) {
      const { bytes } = row.raw
      // A missing JSON element has no bytes, and neither has a row that is too large.
      if ((outcome !== 'rejected' && outcome !== 'invalid') || bytes.length === 0) continue
      if (count === 0 && header !== undefined) parts.push(header, Buffer.from('\n'))
      parts.push(Buffer.from(count === 0 ? around.begin : around.between), bytes)
      count += 1
    }
    return Buffer.concat(parts)
  }

  const keepsRows = stats?.isFile() ?? true
  return {
    keepsRows,
    hasRows: () => keepsRows && count > 0,
    add: (results, layout) => put(bytesOf(results, layout)),
    async close() {
      try {
        if (count > 0) await put(Buffer.from(end))
        // Some file systems report only now that the disk is full.
        if (!isBroken) await orExplained(finished(stream.end()))
      } finally {
        stream.destroy()
      }
    },
  }
}
