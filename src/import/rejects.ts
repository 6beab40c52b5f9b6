import { close, open, statSync, write } from 'node:fs'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { Failure } from '../failure.ts'
import { requireWritable } from '../platform/file-access.ts'
import { openPipeToWrite } from '../platform/named-pipe.ts'
import { orAborted } from '../platform/promises.ts'
import { commandLine } from '../platform/shell.ts'
import { describeSystemError, systemErrorCode } from '../platform/system-error.ts'
import { writeAll } from '../platform/write-all.ts'
import type { ImportFormat } from './format.ts'
import type { RawRow } from './raw-row.ts'
import type { RowResult } from './results.ts'
import type { RowLayout } from './rows.ts'

/** A file of the rejected and invalid rows, unchanged, so that they can be corrected and imported again. */
export interface RejectsFile {
  /** Writes those of these rows that belong in the file. */
  add(results: readonly RowResult[], layout: RowLayout): Promise<void>
  close(): Promise<void>
}

interface RejectsOptions {
  readonly path: string
  /** Ends every wait for the reader of a named pipe. */
  readonly signal: AbortSignal
}

/** What surrounds the rows in each format. */
const separators: Readonly<Record<ImportFormat, Separators>> = {
  ndjson: { begin: '', between: '\n', end: '\n' },
  csv: { begin: '', between: '\n', end: '\n' },
  json: { begin: '[\n', between: ',\n', end: '\n]\n' },
}

interface Separators {
  readonly begin: string
  readonly between: string
  readonly end: string
}

export async function openRejects({ path, signal }: RejectsOptions): Promise<RejectsFile> {
  const sink = await openSink(path, signal)
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
  const put = async (bytes: Uint8Array) => {
    if (isBroken || bytes.length === 0) return
    try {
      await sink.write(bytes)
    } catch (error) {
      isBroken = true
      throw writeFailure(path, error)
    }
  }

  return {
    add(results, layout) {
      const rows = results.filter(({ outcome }) => outcome === 'rejected' || outcome === 'invalid')
      const raw = rows.map(({ row }) => row.raw)
      return put(Buffer.concat(bytesOf(raw, layout)))
    },
    async close() {
      try {
        if (count > 0) await put(Buffer.from(end))
      } finally {
        await sink.close()
      }
    },
  }
}

interface Sink {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

async function openSink(path: string, signal: AbortSignal): Promise<Sink> {
  try {
    requireWritable(path)
    const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false
    return isPipe ? pipeSink(await openPipeToWrite(path, signal), signal) : fileSink(await promisify(open)(path, 'w'))
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    throw new Failure('usage', `${path} cannot be written: ${describeSystemError(error)}`, { cause: error })
  }
}

function fileSink(file: number): Sink {
  const writeSome = promisify(write)
  return {
    write: (bytes) => writeAll(bytes, async (rest) => (await writeSome(file, rest)).bytesWritten),
    close: () => promisify(close)(file),
  }
}

function pipeSink(pipe: Writable, signal: AbortSignal): Sink {
  // Each write reports its own failure; without a listener, it would end the process as well.
  pipe.on('error', () => {})
  const put = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      pipe.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  return {
    write: (bytes) => orAborted(put(bytes), signal),
    close: async () => {
      if (signal.aborted) pipe.destroy()
      else await new Promise<void>((resolve) => pipe.end(resolve))
    },
  }
}

function writeFailure(path: string, error: unknown): unknown {
  if (systemErrorCode(error) === undefined) return error
  return new Failure('local', `${path} cannot be written: ${describeSystemError(error)}`, {
    hint: commandLine('df -h', { paths: [path] }),
    cause: error,
  })
}
