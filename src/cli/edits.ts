import type { TypedOption, Word } from './argv.ts'

export type Argv = readonly string[]

/** What stands instead of words of argv, by their index. Nothing removes the word. */
export type Edits = Readonly<Record<number, Argv>>

export function edited(argv: Argv, edits: Edits): Argv {
  return argv.flatMap((word, index) => edits[index] ?? [word])
}

export function removed(words: readonly Word[]): Edits {
  const entries = words.map(({ index }): [number, Argv] => [index, []])
  return Object.fromEntries(entries)
}

/** Replaces words together, wherever options stand between them. */
export function replaced(words: readonly Word[], meant: Argv): Edits {
  const [first] = words
  if (first === undefined) return {}
  return { ...removed(words), [first.index]: meant }
}

export function withoutOption({ flag, value }: TypedOption): Edits {
  return removed(value === undefined ? [flag] : [flag, value])
}

/** Replaces the end of a word: of `--status=Sold`, the value. */
export function withEnd(argv: Argv, { text, index }: Word, end: string): Argv {
  const word = argv[index] ?? ''
  const beginning = word.slice(0, word.length - text.length)
  return edited(argv, { [index]: [`${beginning}${end}`] })
}

export function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ')
}
