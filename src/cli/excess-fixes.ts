import { type AnyCommand, type BareValue, notesOf } from '../commands/declare.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { type CommandLine, findOption, type Word } from './argv.ts'
import { type Argv, type Edits, edited, joined, removed, replaced } from './edits.ts'
import { isObject } from './habits.ts'
import { effectiveOptions } from './shared-options.ts'
import { readable } from './value-fixes.ts'

/** Words that no argument takes: parts of a text without quotes, or values without their options. */
export async function repairExcess(
  line: CommandLine,
  excess: readonly Word[],
): Promise<Argv | undefined> {
  const { isText } = notesOf(line.command)
  // An option after `--` is not a part of the text.
  const hasOption = line.operands.some(({ text }) => text.startsWith('-'))
  if (isText) return hasOption ? undefined : joinText(line)
  const { edits, rest } = await addOptions(line, excess)
  if (rest.length === 0) return edited(line.argv, edits)
  if (hasOption) return undefined
  const name = joinRest(line, rest)
  return name && edited(line.argv, { ...edits, ...name })
}

function joinText({ argv, operands }: CommandLine): Argv {
  const text = joined(operands)
  return edited(argv, replaced(operands, [text]))
}

/** Adds the missing option before each word that fits one. */
async function addOptions(line: CommandLine, excess: readonly Word[]): Promise<AddedOptions> {
  const { command, options } = line
  const used = new Set(options.map(({ option }) => option.long))
  const edits: Record<number, Argv> = {}
  const rest: Word[] = []
  for (const word of excess) {
    const asOptions = await fromObject(line, word)
    const meant = asOptions ?? withOption(command, word.text, used)
    if (meant !== undefined) {
      edits[word.index] = meant
      used.add(meant[0])
    } else if (notesOf(command).readsKey) {
      edits[word.index] = []
    } else {
      rest.push(word)
    }
  }
  return { edits: { ...edits, ...withoutJson(line, excess) }, rest }
}

interface AddedOptions {
  readonly edits: Edits
  /** The words that fit no option. */
  readonly rest: readonly Word[]
}

/** The `--json` of `--json '{…}'` means the object. */
function withoutJson({ options }: CommandLine, excess: readonly Word[]): Edits {
  const objects = excess.filter(({ text }) => isObject(text))
  const before = objects.map(({ index }) => index - 1)
  const flags = options.filter(({ option, flag }) => {
    return option.long === '--json' && before.includes(flag.index)
  })
  return removed(flags.map(({ flag }) => flag))
}

/** The words together as the value of one option, such as a name of two words. */
function joinRest({ command, options }: CommandLine, rest: readonly Word[]): Edits | undefined {
  const { joins } = notesOf(command)
  const isTyped = options.some(({ option }) => option.long === joins)
  if (joins === undefined || isTyped) return undefined
  // `available pending` is no name: a list has one status.
  const isSecondValue = rest.some(({ text }) => withOption(command, text, new Set()))
  if (isSecondValue || !areTogether(rest)) return undefined
  return replaced(rest, [joins, joined(rest)])
}

function areTogether(words: readonly Word[]): boolean {
  const first = words[0]?.index ?? 0
  return words.every(({ index }, position) => index === first + position)
}

async function fromObject(line: CommandLine, word: Word): Promise<Argv | undefined> {
  const { takesObject } = notesOf(line.command)
  const { text } = word
  if (takesObject === undefined || !isObject(text)) return undefined
  const { optionsFromObject } = await import('./typed-object.ts')
  const found = optionsFromObject(takesObject, text)
  return 'options' in found ? found.options : undefined
}

/** The word with the option that it probably belongs to: that of the first guess that fits. */
function withOption(command: AnyCommand, text: string, used: UsedOptions): Argv | undefined {
  if (isObject(text)) return undefined
  return (
    assignment(command, text, used) ??
    fieldList(command, text, used) ??
    bareValue(command, text, used)
  )
}

/** The options that are on the command line already. */
type UsedOptions = ReadonlySet<string | undefined>

/** `name=Rex` */
function assignment(command: AnyCommand, text: string, used: UsedOptions): Argv | undefined {
  const [, name, value] = /^([a-z][\w-]*)=(.+)$/is.exec(text) ?? []
  if (name === undefined || value === undefined) return undefined
  const words = name.replace(/([a-z])([A-Z])/g, '$1-$2')
  const flag = `--${words.toLowerCase()}`
  const option = findOption(command, flag)
  const isFree = option?.required === true && !used.has(flag)
  return isFree ? [flag, value] : undefined
}

/** `--json id,name`, as in gh. */
function fieldList(command: AnyCommand, text: string, used: UsedOptions): Argv | undefined {
  const { fields = [] } = notesOf(command)
  const areFields = text.split(',').every((field) => fields.includes(field))
  return areFields && !used.has('--fields') ? ['--fields', text] : undefined
}

/** `staging`, or what the declaration of the command says that a bare word may be. */
function bareValue(command: AnyCommand, text: string, used: UsedOptions): Argv | undefined {
  const { bareValues = [] } = notesOf(command)
  const candidates: readonly BareValue[] = [['--env', environmentPattern], ...bareValues]
  for (const [long, pattern = /./] of candidates) {
    if (!pattern.test(text)) continue
    const option = effectiveOptions(command).find((candidate) => candidate.long === long)
    if (option === undefined) continue
    const isRepeatable = Array.isArray(option.defaultValue)
    if (used.has(long) && !isRepeatable) continue
    const value = readable(command, option, text)
    if (value !== undefined) return [long, value]
  }
  return undefined
}

const environmentPattern = new RegExp(`^(${environmentNames({}).join('|')})$`)
