import { Failure } from '../failure.ts'
import type { ImportFormat } from './format.ts'
import type { Identity } from './input.ts'

/**
 * A journal is text. Its first line is the head, as JSON; each line after it is a letter and a row's number:
 *
 *     i 7        row 7 is about to be sent; without a line that says more it is in doubt
 *     a 7 1234   it was added, as animal 1234
 *     f 7        it was certainly not added, and may be sent again
 *     d 7        whether it was added is not known
 */
export const journalVersion = 1

/** What a journal belongs to. It is refused for anything else. */
export interface JournalHead {
  readonly version: number
  /** The input's name, for messages. */
  readonly input: string
  /** Undefined for an input that can be read only once: it can't be resumed. */
  readonly identity?: Identity | undefined
  /** It decides what the numbers of the rows mean. */
  readonly format: ImportFormat | undefined
  readonly environment: string
  readonly address: string
  readonly begun: string
}

export type Entry = 'intended' | 'added' | 'free' | 'doubtful'

const letters: Readonly<Record<Entry, string>> = { intended: 'i', added: 'a', free: 'f', doubtful: 'd' }
const entries = new Map(Object.entries(letters).map(([entry, letter]) => [letter, entry as Entry]))

export function headLine(head: JournalHead): string {
  return `${JSON.stringify({ 'petstore-journal': journalVersion, ...head })}\n`
}

export function entryLine(entry: Entry, number: number, id?: bigint): string {
  return id === undefined ? `${letters[entry]} ${number}\n` : `${letters[entry]} ${number} ${id}\n`
}

/** Undefined for what is no line of a journal, as a torn one. */
export function readEntry(line: string): { entry: Entry; number: number } | undefined {
  const entry = entries.get(line[0] ?? '')
  if (entry === undefined || !/^. [1-9]\d{0,15}(?: -?\d{1,19})?$/.test(line)) return undefined
  return { entry, number: Number.parseInt(line.slice(2), 10) }
}

/** Undefined for what is no journal at all. */
export function readHead(line: string): JournalHead | undefined {
  try {
    const head = JSON.parse(line)
    return typeof head['petstore-journal'] === 'number' ? { ...head, version: head['petstore-journal'] } : undefined
  } catch {
    return undefined
  }
}

/** Refuses the journal of something else, and says what differs. */
export function refuseOther(kept: JournalHead, wanted: JournalHead, path: string, restart: string): void {
  const refuse = (difference: string) =>
    new Failure('usage', `the journal ${path} is of another import: ${difference}`, { hint: restart })
  if (kept.identity === undefined) throw refuse('its input was piped in and can not be told again')
  if (kept.identity.sha256 !== wanted.identity?.sha256) {
    const [was, is] = [kept.identity, wanted.identity].map(
      (one) => one && `${one.size} bytes with the SHA-256 ${one.sha256.slice(0, 8)}…`,
    )
    throw refuse(`its input was ${kept.input}, ${was}; this one is ${wanted.input}, ${is}`)
  }
  for (const [field, words] of differing) {
    if (kept[field] !== wanted[field]) throw refuse(`${words} was ${kept[field]} and is now ${wanted[field]}`)
  }
}

const differing = [
  ['environment', 'the environment'],
  ['address', 'the address'],
  ['format', 'the format'],
] as const
