import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { describeFault, quoted } from '../platform/system-error.ts'
import type { ImportFormat } from './format.ts'
import type { Piece } from './raw-row.ts'

/** A file of the rows that were not taken, as they were, so that they can be mended and imported again. */
export interface Rejects {
  /** How the rows are held together; told before the first of them. */
  setFormat(format: ImportFormat): void
  /** The header of CSV, which has to stand in front again. */
  setHeader(bytes: Uint8Array): void
  add(piece: Piece): void
  close(): void
}

interface Frame {
  readonly begin: string | Uint8Array
  readonly between: string
  readonly end: string
}

interface RejectsOptions {
  readonly path: string
  /** The files that must not be overwritten with it. */
  readonly otherFiles: readonly string[]
  /** Told once, of what can't be written; from then on nothing more is. */
  readonly onFault: (fault: Failure) => void
}

/** What keeps rows together in each format. */
const frames: Readonly<Record<ImportFormat, Frame>> = {
  ndjson: { begin: '', between: '\n', end: '\n' },
  csv: { begin: '', between: '\n', end: '\n' },
  json: { begin: '[\n', between: ',\n', end: '\n]\n' },
}

export function openRejects({ path, otherFiles, onFault }: RejectsOptions): Rejects {
  const file = openFile(path, otherFiles)
  let isBroken = false
  let frame: Frame = frames.ndjson
  let count = 0
  /** A row that is too large comes in several pieces; what comes between them has to wait. */
  let unfinished: number | undefined
  let waiting: Piece[] = []

  const write = (data: Uint8Array | string) => {
    if (isBroken) return
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    } catch (error) {
      isBroken = true
      const message = `${path} can't be written: ${describeFault(error)}`
      onFault(new Failure('local', message, { hint: `df -h ${quoted(path)}`, cause: error }))
    }
  }
  const add = (piece: Piece) => {
    // Where a row is missing there is nothing to keep.
    if (piece.bytes.length === 0 && unfinished !== piece.number) return
    if (unfinished !== undefined && unfinished !== piece.number) {
      waiting.push(piece)
      return
    }
    if (unfinished === undefined) write(count === 0 ? frame.begin : frame.between)
    count += 1
    write(piece.bytes)
    unfinished = piece.isUnfinished ? piece.number : undefined
    if (unfinished !== undefined) return
    const held = waiting
    waiting = []
    for (const one of held) add(one)
  }

  return {
    setFormat(format) {
      frame = frames[format]
    },
    setHeader(bytes) {
      frame = { ...frame, begin: Buffer.concat([bytes, Buffer.from('\n')]) }
    },
    add,
    close() {
      if (count > 0) write(frame.end)
      closeSync(file)
    },
  }
}

function openFile(path: string, others: readonly string[]): number {
  try {
    const existing = statSync(path, { throwIfNoEntry: false })
    const other = others.find((name) => isSame(existing, statSync(name, { throwIfNoEntry: false })))
    if (other !== undefined) throw new Failure('usage', `--rejects would overwrite ${other}`)
    return openSync(path, 'w')
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('usage', `${path} can't be written: ${describeFault(error)}`, { cause: error })
  }
}

type Stats = ReturnType<typeof statSync>

function isSame(one: Stats, other: Stats): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino
}
