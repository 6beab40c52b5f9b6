import { crc32 } from 'node:zlib'
import { Failure } from '../failure.ts'
import { grouped } from '../model/quantities.ts'
import { startOfFile } from '../platform/file-access.ts'
import type { ImportFormat } from './format.ts'
import type { InputContent } from './input.ts'

/**
 * A journal is text. Its first line is the head, as JSON. Every other line is a letter and a row's number:
 *
 *     i 7        row 7 is about to be sent; without a later line, its outcome is unknown
 *     a 7 1234   it was added as pet 1234
 *     f 7        it was certainly not added and can be sent again
 *     d 7        its outcome is unknown
 *     c 7        its outcome is unknown, and the user counts it as added
 *
 * Each line ends with a checksum over the line and its position, so that no damage passes for a record.
 */
const journalVersion = 3

/** The import that a journal belongs to. It is refused for any other import. */
export interface JournalHead {
  /** The input's real path, or its name if it has no path. */
  readonly input: string
  readonly content: InputContent
  /** Determines what the row numbers mean. */
  readonly format: ImportFormat
  /** The base URL, or the local database. */
  readonly service: string
}

export interface JournalEntry {
  readonly kind: (typeof entryKinds)[number]
  readonly number: number
  /** That of the new pet. */
  readonly id?: bigint | undefined
}

/** A line has the first letter. */
const entryKinds = ['intended', 'added', 'free', 'doubtful', 'counted'] as const

export function headLine(head: JournalHead): string {
  return withChecksum(JSON.stringify({ 'petstore-journal': journalVersion, ...head }), 0)
}

/** The lines for the entries, the first of which starts at this position of the file. */
export function entryLines(entries: readonly JournalEntry[], position: number): string {
  let text = ''
  for (const { kind, number, id } of entries) {
    const record = `${kind.charAt(0)} ${number}`
    const content = id === undefined ? record : `${record} ${id}`
    text += withChecksum(content, position + text.length)
  }
  return text
}

const entryPattern = /^(?:[ifdc] [1-9]\d{0,15}|a [1-9]\d{0,15} -?\d{1,19})$/

/** The line has no newline. Undefined if it is not the line that was written at this position. */
export function readEntry(line: Buffer, position: number): JournalEntry | undefined {
  const content = checkedContent(line, position) ?? ''
  if (!entryPattern.test(content)) return undefined
  const [letter = '', number] = content.split(' ')
  const kind = entryKinds.find(one => one.startsWith(letter))
  return kind && { kind, number: Number(number) }
}

/**
 * The part of an entry that an interrupted write leaves: correct, but without at least its newline.
 */
const tornEntry =
  /^(?:[ifdc](?: (?:[1-9]\d{0,15}(?: [\da-f]{0,7})?)?)?|a(?: (?:[1-9]\d{0,15}(?: (?:-?(?:\d{1,19}(?: [\da-f]{0,7})?)?)?)?)?)?)$/

/** Whether the end of the file, without a newline, is the beginning of an entry. */
export function isTornEntry(bytes: Buffer, position: number): boolean {
  return tornEntry.test(bytes.toString('latin1')) || readEntry(bytes, position) !== undefined
}

const checksumLength = 8

function withChecksum(content: string, position: number): string {
  return `${content} ${checksum(content, position)}\n`
}

function checkedContent(line: Buffer, position: number): string | undefined {
  const end = line.length - checksumLength - 1
  if (end < 1 || line[end] !== 0x20) return undefined
  const content = line.subarray(0, end)
  const isIntact = line.toString('latin1', end + 1) === checksum(content, position)
  return isIntact ? content.toString() : undefined
}

function checksum(content: string | Buffer, position: number): string {
  const value = crc32(content, position >>> 0)
  return value.toString(16).padStart(checksumLength, '0')
}

/** Reads the first line of a journal. Undefined if the file is not a journal. */
export function readJournalHead(
  line: Buffer
): JournalHead | 'damaged' | 'of another version' | undefined {
  const start = line.toString('latin1', 0, 64)
  const version = /^\{"petstore-journal":(\d{1,9})[,}]/.exec(start)?.[1]
  if (version === undefined) {
    // A line that ends in a checksum was the head of a journal.
    const wasHead = / [\da-f]{8}/.test(line.toString('latin1', line.length - 9))
    return wasHead ? 'damaged' : undefined
  }
  if (Number(version) !== journalVersion) return 'of another version'
  const content = checkedContent(line, 0)
  return content === undefined ? 'damaged' : JSON.parse(content)
}

/** Real names and URLs are much shorter. */
const longestHead = 64 * 1024

/** Whether a file is a journal, whatever import it belongs to. Undefined if it cannot be read. */
export function isJournal(path: string): boolean | undefined {
  const start = startOfFile(path, longestHead)
  if (start === undefined) return undefined
  const end = start.indexOf(0x0a)
  const line = end === -1 ? start : start.subarray(0, end)
  return readJournalHead(line) !== undefined
}

/** Refuses the journal of another import, and says what differs. */
export function refuseOtherImport(saved: JournalHead, wanted: JournalHead, path: string): void {
  const difference = differenceOf(saved, wanted)
  if (difference === undefined) return
  throw new Failure('usage', `the journal ${path} belongs to another import: ${difference}`, {
    hint: 'petstore help import'
  })
}

function differenceOf(saved: JournalHead, wanted: JournalHead): string | undefined {
  if (saved.content.sha256 !== wanted.content.sha256)
    return `its input was ${describeInput(saved)}, this one is ${describeInput(wanted)}`
  if (saved.service !== wanted.service)
    return `it was sent to ${saved.service}, and this one goes to ${wanted.service}`
  if (saved.format !== wanted.format)
    return `the format was ${saved.format} and is now ${wanted.format}`
  return undefined
}

function describeInput({ input, content: { size, sha256 } }: JournalHead): string {
  return `${input} (${grouped(size)} bytes, SHA-256 ${sha256.slice(0, 8)}…)`
}
