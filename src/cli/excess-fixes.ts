import type { AnyCommand } from '../commands/declare.ts'
import { type CommandLine, longFlag, typedOption, type Word, wordAfter } from './argv.ts'
import {
  type Argv,
  edited,
  joined,
  type Repair,
  removed,
  replaced,
  withoutOption
} from './edits.ts'
import { habitsOf, meantBy } from './habits.ts'
import { freeOption } from './option-fixes.ts'
import type { TypedObject } from './typed-object.ts'
import { isObject, mayBeName } from './typed-words.ts'
import { readable } from './value-fixes.ts'

/** Words that no argument takes: parts of a text without quotes, or values without their options. */
export async function repairExcess(
  line: CommandLine,
  excess: readonly Word[]
): Promise<Repair | undefined> {
  const { argv, command, operands } = line
  const { isText, joins, readsKey, hidesWords } = command.notes
  // An option after `--` is not a part of the text.
  const hasOption = operands.some(({ text }) => text.startsWith('-'))
  if (isText && hasOption) return undefined
  if (isText) return edited(argv, replaced(operands, [joined(operands)]))
  const isHelp = excess.some(({ text }) => text === 'help')
  if (isHelp) return edited(argv, removed(excess), [['--help']])
  const noun = excess.find(({ text }) => /^pets?$/i.test(text))
  if (noun !== undefined && joins !== undefined) return withoutNoun(line, noun)
  // A word that may be a secret gets no option.
  const mayBeSecret = readsKey || hidesWords
  const asOption = mayBeSecret ? undefined : nameOfOption(line, excess)
  if (asOption !== undefined) return asOption
  // One word per repair; the rest are found as the next mistake.
  for (const word of excess) {
    const repaired = await insertOption(line, word)
    if (repaired !== undefined) return repaired
  }
  if (readsKey) return edited(argv, removed(excess))
  return hasOption ? undefined : joinWords(line, excess)
}

/** `list available pets`; `watch pet 1` is about one pet, which a list cannot be. */
function withoutNoun({ argv, operands }: CommandLine, noun: Word): Repair | undefined {
  const next = wordAfter(operands, noun)
  const isAboutId = next !== undefined && /^\d/.test(next.text)
  return isAboutId ? undefined : edited(argv, removed([noun]))
}

/** `list status sold`: a word with the name of an option, and its value. */
function nameOfOption(line: CommandLine, excess: readonly Word[]): Repair | undefined {
  const name = excess.find(word => {
    const isName = /^[a-z][\w-]+$/i.test(word.text)
    const value = wordAfter(line.operands, word)
    return value !== undefined && isName && isNameOfOption(line, longFlag(word.text))
  })
  return name && edited(line.argv, { [name.index]: [longFlag(name.text)] })
}

/** Adds the missing option before a word that fits one. */
async function insertOption(line: CommandLine, word: Word): Promise<Repair | undefined> {
  const { text, index } = word
  const isJson = isObject(text)
  const meant = isJson ? await optionsInObject(line.command, text) : withOption(line, text)
  // The `--json` of `--json '{…}'` means the object, and the `-q` of `-q '.[].name'` is that of gh.
  const before = typedOption(line, isJson ? '--json' : '--quiet')
  const needless = before?.flag.index === index - 1 ? withoutOption(before) : {}
  return meant && edited(line.argv, { ...needless, [index]: meant })
}

/** The words together as the value of one option, such as a name of two words. */
function joinWords(line: CommandLine, words: readonly Word[]): Repair | undefined {
  const { joins } = line.command.notes
  if (joins === undefined || typedOption(line, joins) !== undefined) return undefined
  // `available pending` is no name: a list has one status.
  const withoutOptions: CommandLine = { ...line, options: [] }
  const isSecondValue = words.some(({ text }) => {
    return !isObject(text) && withOption(withoutOptions, text) !== undefined
  })
  const text = joined(words)
  if (isSecondValue || !mayBeName(text)) return undefined
  return edited(line.argv, replaced(words, [joins, text]))
}

async function optionsInObject(command: AnyCommand, text: string): Promise<Argv | undefined> {
  const object = await readObject(command, text)
  return object && 'options' in object ? object.options : undefined
}

/** JSON as options; undefined on a command that takes none. */
export async function readObject(
  command: AnyCommand,
  text: string
): Promise<TypedObject | undefined> {
  const { takesObject } = command.notes
  if (takesObject === undefined) return undefined
  const { optionsFromObject } = await import('./typed-object.ts')
  return optionsFromObject(takesObject, text)
}

/** The word with the option that it probably belongs to. */
function withOption(line: CommandLine, text: string): Argv | undefined {
  const assigned = assignment(line, text)
  if (assigned !== undefined) return assigned
  for (const habit of habitsOf(line.command, '')) {
    const [flag = '', meant = ''] = meantBy(habit, line.command, text)?.words ?? []
    const option = freeOption(line, flag)
    const value = option && readable(line.command, option, meant)
    if (value !== undefined) return [flag, value]
  }
  return undefined
}

/** `name=Rex`, `categoryId:=2` as in HTTPie, `status:sold` as in a search of GitHub. */
function assignment(line: CommandLine, text: string): Argv | undefined {
  const [, name, value] = /^([a-z][\w-]*)(?::=|=|:(?!\/))(.+)$/is.exec(text) ?? []
  // `name=Rex,categoryId=2`
  const isList = /,\s*\w+=/.test(value ?? '')
  if (name === undefined || value === undefined || isList) return undefined
  const flag = longFlag(name)
  return isNameOfOption(line, flag) ? [flag, value] : undefined
}

function isNameOfOption(line: CommandLine, flag: string): boolean {
  return freeOption(line, flag)?.required === true || habitsOf(line.command, flag).length > 0
}
