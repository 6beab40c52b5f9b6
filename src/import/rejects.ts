import { once } from 'node:events'
import {
  type BigIntStats,
  constants,
  createWriteStream,
  fstatSync,
  ftruncate,
  open,
  statSync,
  unlinkSync,
} from 'node:fs'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { openPipeToWrite } from '../platform/named-pipe.ts'
import { orAborted } from '../platform/promises.ts'
import { inodeOf } from '../platform/same-file.ts'
import { spaceHint, systemFailure, unlessSystemFails } from '../platform/system-error.ts'
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
  /** Empties the file. Before this, nothing is changed. */
  begin(): Promise<void>
  /** Writes the rows among these that belong in the file. */
  add(results: readonly RowResult[], layout: RowLayout): Promise<void>
  close(): Promise<void>
  /** Closes a file that was not begun. */
  discard(): Promise<void>
}

/**
 * Opens a file that receives the rejected and invalid rows unchanged, so that they can be corrected and imported again.
 * The signal ends every wait for the reader of a named pipe.
 */
export async function openRejects({ path, signal }: { path: string; signal: AbortSignal }): Promise<RejectsFile> {
  const { stream, isPipe, isOwn, keepsRows, begin, discard } = await openStream(path, signal)
  // Each write reports its own failure; without a listener, it would end the process as well.
  stream.on('error', () => {})
  let isBroken = false
  let end = ''
  let count = 0

  const bytesOf = (rows: readonly RawRow[], { format, header }: RowLayout): Uint8Array[] => {
    const around = separators[format]
    end = around.end
    const parts: Uint8Array[] = []
    for (const { bytes } of rows) {
      // A missing JSON element has no bytes, and neither has a row that is too large.
      if (bytes.length === 0) continue
      if (count === 0 && header !== undefined) parts.push(header, Buffer.from('\n'))
      parts.push(Buffer.from(count === 0 ? around.begin : around.between), bytes)
      count += 1
    }
    return parts
  }
  const explained = (error: unknown) => {
    isBroken = true
    return systemFailure(error, 'local', `${path} cannot be written`, spaceHint(error, path))
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
    begin: () =>
      begin().catch((error: unknown) => {
        throw explained(error)
      }),
    add(results, layout) {
      const rows = results.filter(({ outcome }) => outcome === 'rejected' || outcome === 'invalid')
      return put(
        Buffer.concat(
          bytesOf(
            rows.map(({ row }) => row.raw),
            layout,
          ),
        ),
      )
    },
    async close() {
      try {
        if (count > 0) await put(Buffer.from(end))
      } finally {
        if (isBroken || (isPipe && signal.aborted)) stream.destroy()
        else if (isPipe || isOwn) await new Promise<void>((resolve) => stream.end(resolve))
        else await closeFile()
      }
    },
    async discard() {
      stream.destroy()
      await discard()
    },
  }
}

interface OpenStream {
  readonly stream: Writable
  readonly isPipe: boolean
  /** A stream of this process, which stays open. */
  readonly isOwn?: boolean
  readonly keepsRows: boolean
  begin(): Promise<void>
  discard(): Promise<void>
}

async function openStream(path: string, signal: AbortSignal): Promise<OpenStream> {
  const nothing = async () => {}
  try {
    requireOwnLinks(path)
    requireWritable(path)
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stats?.isFIFO()) {
      const stream = await openPipeToWrite(path, signal)
      return { stream, isPipe: true, keepsRows: false, begin: nothing, discard: nothing }
    }
    const own = stats?.isFile() && isStreamPath(path) ? ownStreams.find((fd) => isOpenAs(fd, stats)) : undefined
    if (own !== undefined) {
      // Written by its own descriptor, because another one would overwrite what the program prints there.
      const stream = createWriteStream(path, { fd: own, autoClose: false })
      return { stream, isPipe: false, isOwn: true, keepsRows: false, begin: nothing, discard: nothing }
    }
    const file = await promisify(open)(path, constants.O_WRONLY | constants.O_CREAT, 0o666)
    return {
      stream: createWriteStream(path, { fd: file }),
      isPipe: false,
      keepsRows: stats?.isFile() ?? true,
      begin: stats?.isFile() ? () => promisify(ftruncate)(file, 0) : nothing,
      discard: async () => {
        if (stats === undefined) unlinkSync(path)
      },
    }
  } catch (error) {
    throw systemFailure(error, 'usage', `${path} cannot be written`)
  }
}

/** Standard output and standard error. */
export const ownStreams = [1, 2] as const

/** `/dev/stderr` and the like: a name of a stream that the process has. */
export const isStreamPath = (path: string) => /^\/(?:dev|proc)\//.test(path)

function isOpenAs(descriptor: number, stats: BigIntStats): boolean {
  const own = unlessSystemFails(() => fstatSync(descriptor, { bigint: true }))
  return own !== undefined && inodeOf(own) === inodeOf(stats)
}
