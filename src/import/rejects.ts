import { closeSync, openSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { requireWritable } from '../platform/file-access.ts'
import { commandLine } from '../platform/shell.ts'
import { describeSystemError } from '../platform/system-error.ts'
import { writeAllSync } from '../platform/write-all.ts'
import type { ImportFormat } from './format.ts'
import type { RawRow } from './raw-row.ts'

/** A file of the rejected and invalid rows, unchanged, so that they can be corrected and imported again. */
export interface RejectsFile {
  /** Must be called before the first row. */
  setFormat(format: ImportFormat): void
  /** Sets the CSV header, which is repeated before the rows. */
  setHeader(bytes: Uint8Array): void
  add(row: RawRow): void
  close(): void
}

interface Separators {
  readonly begin: string | Uint8Array
  readonly between: string
  readonly end: string
}

interface RejectsOptions {
  readonly path: string
  /** Called once if the file cannot be written; nothing more is written after that. */
  readonly onFailure: (failure: Failure) => void
}

/** What surrounds the rows in each format. */
const separators: Readonly<Record<ImportFormat, Separators>> = {
  ndjson: { begin: '', between: '\n', end: '\n' },
  csv: { begin: '', between: '\n', end: '\n' },
  json: { begin: '[\n', between: ',\n', end: '\n]\n' },
}

export function openRejects({ path, onFailure }: RejectsOptions): RejectsFile {
  const file = openFile(path)
  let isBroken = false
  let around: Separators = separators.ndjson
  let count = 0
  /** A row that is too large arrives in several parts; rows that arrive between them have to wait. */
  let unfinished: number | undefined
  let waiting: RawRow[] = []

  const write = (data: Uint8Array | string) => {
    if (isBroken) return
    try {
      writeAllSync(file, typeof data === 'string' ? Buffer.from(data) : data)
    } catch (error) {
      isBroken = true
      const message = `${path} cannot be written: ${describeSystemError(error)}`
      onFailure(new Failure('local', message, { hint: commandLine('df -h', { paths: [path] }), cause: error }))
    }
  }
  const add = (row: RawRow) => {
    // A missing JSON element has no bytes.
    if (row.bytes.length === 0 && unfinished !== row.number) return
    if (unfinished !== undefined && unfinished !== row.number) {
      waiting.push(row)
      return
    }
    if (unfinished === undefined) write(count === 0 ? around.begin : around.between)
    count += 1
    write(row.bytes)
    unfinished = row.isUnfinished ? row.number : undefined
    if (unfinished !== undefined) return
    const queue = waiting
    waiting = []
    for (const next of queue) add(next)
  }

  return {
    setFormat(format) {
      around = separators[format]
    },
    setHeader(bytes) {
      around = { ...around, begin: Buffer.concat([bytes, Buffer.from('\n')]) }
    },
    add,
    close() {
      if (count > 0) write(around.end)
      closeSync(file)
    },
  }
}

function openFile(path: string): number {
  try {
    requireWritable(path)
    return openSync(path, 'w')
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('usage', `${path} cannot be written: ${describeSystemError(error)}`, { cause: error })
  }
}
