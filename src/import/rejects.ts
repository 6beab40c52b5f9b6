import { once } from 'node:events'
import { createWriteStream, open, statSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { requireWritable } from '../platform/file-access.ts'
import { openPipeToWrite } from '../platform/named-pipe.ts'
import { orAborted } from '../platform/promises.ts'
import { commandLine } from '../platform/shell.ts'
import { systemFailure } from '../platform/system-error.ts'
import { writeChunk } from '../platform/write-all.ts'
import type { ImportFormat } from './format.ts'
import type { RawRow } from './raw-row.ts'
import type { RowResult } from './results.ts'
import type { RowLayout } from './rows.ts'

/** What surrounds the rows in each format. */
const separators: Readonly<Record<ImportFormat, { begin: string; between: string; end: string }>> = {
  ndjson: { begin: '', between: '\n', end: '\n' },
  csv: { begin: '', between: '\n', end: '\n' },
  json: { begin: '[\n', between: ',\n', end: '\n]\n' },
}

export interface RejectsFile {
  /** A pipe or a device keeps nothing that could be imported again. */
  readonly keepsRows: boolean
  /** Writes the rows among these that belong in the file. */
  add(results: readonly RowResult[], layout: RowLayout): Promise<void>
  close(): Promise<void>
}

interface RejectsOptions {
  readonly path: string
  readonly signal: AbortSignal
}

/**
 * Opens a file that receives the rejected and invalid rows unchanged, so that they can be corrected and imported again.
 * The signal ends every wait for the reader of a named pipe.
 */
export async function openRejects({ path, signal }: RejectsOptions): Promise<RejectsFile> {
  const { stream, isPipe, keepsRows } = await openStream(path, signal)
  // Each write reports its own failure; without a listener, it would end the process as well.
  stream.on('error', () => {})
  let isBroken = false
  let end = ''
  let count = 0
  /** A row that is too large arrives in several parts; rows that arrive between them have to wait. */
  let unfinished: number | undefined
  let delayed: RawRow[] = []

  const bytesOf = (rows: readonly RawRow[], { format, header }: RowLayout): Uint8Array[] => {
    const around = separators[format]
    end = around.end
    const parts: Uint8Array[] = []
    const queue = [...rows]
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
      // A missing JSON element has no bytes.
      if (row.bytes.length === 0 && unfinished !== row.number) continue
      if (unfinished !== undefined && unfinished !== row.number) {
        delayed.push(row)
        continue
      }
      if (unfinished === undefined && count === 0 && header !== undefined) parts.push(header, Buffer.from('\n'))
      if (unfinished === undefined) parts.push(Buffer.from(count === 0 ? around.begin : around.between))
      count += 1
      parts.push(row.bytes)
      unfinished = row.isUnfinished ? row.number : undefined
      if (unfinished !== undefined) continue
      queue.unshift(...delayed)
      delayed = []
    }
    return parts
  }
  const explained = (error: unknown) => {
    isBroken = true
    return systemFailure(error, 'local', `${path} cannot be written`, commandLine('df -h', { paths: [path] }))
  }
  const put = async (bytes: Uint8Array) => {
    if (isBroken || bytes.length === 0) return
    const written = writeChunk(stream, bytes)
    try {
      await (isPipe ? orAborted(written, signal) : written)
    } catch (error) {
      throw explained(error)
    }
  }
  const closeFile = async () => {
    const closed = once(stream, 'close')
    stream.end()
    // Some file systems report only now that the disk is full.
    await closed.catch((error: unknown) => {
      throw explained(error)
    })
  }

  return {
    keepsRows,
    add(results, layout) {
      const rows = results.filter(({ outcome }) => outcome === 'rejected' || outcome === 'invalid')
      const raw = rows.map(({ row }) => row.raw)
      return put(Buffer.concat(bytesOf(raw, layout)))
    },
    async close() {
      try {
        if (count > 0) await put(Buffer.from(end))
      } finally {
        if (isBroken || (isPipe && signal.aborted)) stream.destroy()
        else if (isPipe) await new Promise<void>((resolve) => stream.end(resolve))
        else await closeFile()
      }
    },
  }
}

interface OpenStream {
  readonly stream: Writable
  readonly isPipe: boolean
  readonly keepsRows: boolean
}

async function openStream(path: string, signal: AbortSignal): Promise<OpenStream> {
  try {
    requireWritable(path)
    const stats = statSync(path, { throwIfNoEntry: false })
    const isPipe = stats?.isFIFO() ?? false
    const stream = isPipe
      ? await openPipeToWrite(path, signal)
      : createWriteStream(path, { fd: await promisify(open)(path, 'w') })
    return { stream, isPipe, keepsRows: stats?.isFile() ?? true }
  } catch (error) {
    throw systemFailure(error, 'usage', `${path} cannot be written`)
  }
}
