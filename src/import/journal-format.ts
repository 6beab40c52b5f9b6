import { Failure } from '../failure.ts'
import type { ImportFormat } from './format.ts'
import type { InputIdentity } from './input.ts'

/**
 * A journal is text. Its first line is the head, as JSON. Every other line is a letter and a row's number:
 *
 *     i 7        row 7 is about to be sent; without a later line, its outcome is unknown
 *     a 7 1234   it was added as pet 1234
 *     f 7        it was certainly not added and can be sent again
 *     d 7        its outcome is unknown
 */
export const journalVersion = 1

/** The import that a journal belongs to. It is refused for any other import. */
export interface JournalHead {
  readonly version: number
  /** The input's name, shown in messages. */
  readonly input: string
  /** Undefined for an input that can be read only once: its import cannot be resumed. */
  readonly identity?: InputIdentity | undefined
  /** Determines what the row numbers mean. */
  readonly format: ImportFormat | undefined
  readonly environment: string
  readonly address: string
  readonly begun: string
}

export type JournalEntry = 'intended' | 'added' | 'free' | 'doubtful'

const letters: Readonly<Record<JournalEntry, string>> = { intended: 'i', added: 'a', free: 'f', doubtful: 'd' }
const entries = new Map(Object.entries(letters).map(([entry, letter]) => [letter, entry as JournalEntry]))

export function headLine(head: JournalHead): string {
  return `${JSON.stringify({ 'petstore-journal': journalVersion, ...head })}\n`
}

export function entryLine(entry: JournalEntry, number: number, id?: bigint): string {
  return id === undefined ? `${letters[entry]} ${number}\n` : `${letters[entry]} ${number} ${id}\n`
}

/** Undefined if the line is not a journal line, for example because it is truncated. */
export function readEntry(line: string): { entry: JournalEntry; number: number } | undefined {
  const entry = entries.get(line[0] ?? '')
  if (entry === undefined || !/^. [1-9]\d{0,15}(?: -?\d{1,19})?$/.test(line)) return undefined
  return { entry, number: Number.parseInt(line.slice(2), 10) }
}

/** Undefined if the file is not a journal. */
export function readHead(line: string): JournalHead | undefined {
  try {
    const head = JSON.parse(line)
    return typeof head['petstore-journal'] === 'number' ? { ...head, version: head['petstore-journal'] } : undefined
  } catch {
    return undefined
  }
}

/** Refuses the journal of another import, and says what differs. */
export function refuseOtherImport(saved: JournalHead, wanted: JournalHead, path: string, restart: string): void {
  const refuse = (difference: string) =>
    new Failure('usage', `the journal ${path} is of another import: ${difference}`, { hint: restart })
  if (saved.identity === undefined) throw refuse('its input was piped in and can not be told again')
  if (saved.identity.sha256 !== wanted.identity?.sha256) {
    const [was, is] = [saved.identity, wanted.identity].map(
      (one) => one && `${one.size} bytes with the SHA-256 ${one.sha256.slice(0, 8)}…`,
    )
    throw refuse(`its input was ${saved.input}, ${was}; this one is ${wanted.input}, ${is}`)
  }
  for (const [field, label] of comparedFields) {
    if (saved[field] !== wanted[field]) throw refuse(`${label} was ${saved[field]} and is now ${wanted[field]}`)
  }
}

const comparedFields = [
  ['environment', 'the environment'],
  ['address', 'the address'],
  ['format', 'the format'],
] as const
