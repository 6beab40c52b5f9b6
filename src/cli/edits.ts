import type { TypedOption, Word } from './argv.ts'

export type Argv = readonly string[]

/** What stands instead of words of argv, by their index. Nothing removes the word. */
export type Edits = Readonly<Record<number, Argv>>

/** A command line that has one mistake less. */
export interface Repair {
  readonly argv: Argv
  /** Options that it needs, unless it has them or something that excludes them. */
  readonly adds?: readonly Argv[]
}

export function edited(argv: Argv, edits: Edits, adds: readonly Argv[] = []): Repair {
  return { argv: argv.flatMap((word, index) => edits[index] ?? [word]), adds }
}

export function removed(words: readonly Word[]): Edits {
  return Object.fromEntries(words.map(({ index }) => [index, []]))
}

/** Replaces words together, wherever options stand between them. */
export function replaced(words: readonly Word[], meant: Argv): Edits {
  const [first] = words
  if (first === undefined) return {}
  return {
    ...removed(words),
    [first.index]: meant
  }
}

export function withoutOption({ flag, value }: TypedOption): Edits {
  return removed(value === undefined ? [flag] : [flag, value])
}

/** Replaces the end of a word: of `--status=Sold`, the value. */
export function withEnd(argv: Argv, typed: Word, end: string): Repair {
  const { text, index } = typed
  const word = argv[index] ?? ''
  const beginning = word.slice(0, word.length - text.length)
  return edited(argv, { [index]: [`${beginning}${end}`] })
}

export function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ')
}
