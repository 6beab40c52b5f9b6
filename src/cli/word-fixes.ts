import { type AnyCommand, type BareValue, notesOf } from '../commands/declare.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { type CommandLine, findOption, type Word } from './argv.ts'
import { type Argv, edited, removed, replaced, withoutOption } from './edits.ts'
import { commandHabits, describedPath, isObject, reasonAgainst } from './habits.ts'
import { nearest } from './nearest.ts'
import { filledIn, meantOptions, withAdded } from './option-fixes.ts'
import { effectiveOptions } from './shared-options.ts'
import { childrenOf } from './tree.ts'
import { readable } from './value-fixes.ts'

/** No row of `commandHabits` has more words. */
const longestPhrase = 3

/** The first words of the command line, as other programs would understand them. */
export function byCommandHabit(line: CommandLine): Argv | undefined {
  const { words } = line
  const longest = Math.min(longestPhrase, words.length)
  for (let count = longest; count > 0; count -= 1) {
    const phrase = words.slice(0, count)
    const next = words[count]
    const meant = byPhrase(line, phrase, next)
    if (meant !== undefined) return meant
  }
  return undefined
}

function byPhrase(
  line: CommandLine,
  phrase: readonly Word[],
  next: Word | undefined,
): Argv | undefined {
  const typed = joined(phrase).toLowerCase()
  for (const habit of commandHabits) {
    if (!habit.typed.includes(typed)) continue
    const value = next && habit.value?.(next.text, line.command)
    const isMissing = habit.value !== undefined && value === undefined
    if (isMissing) continue
    const words = value && next ? [...phrase, next] : phrase
    const meant = filledIn(habit, value)
    const argv = edited(line.argv, replaced(words, meant))
    return withAdded(line, argv, habit, meantOptions(line))
  }
  return undefined
}

/** A word that is not a command where a command is expected. */
export function repairCommand({ argv, command }: CommandLine, stray: Word): Argv | undefined {
  if (reasonAgainst(command, stray.text) !== undefined) return undefined
  if (stray.text === 'help') return [...edited(argv, removed([stray])), '--help']
  const children = childrenOf(command)
  const names = children.map((child) => child.name())
  const aliases = children.flatMap((child) => child.aliases())
  const meant = nearest(stray.text, [...names, ...aliases])
  if (meant === undefined) return undefined
  return edited(argv, { [stray.index]: [meant] })
}

/** `pets get Rex`: what is no id may be a name. */
export function insteadOfId(line: CommandLine): Argv | undefined {
  const { command, words, operands } = line
  const { instead } = notesOf(command)
  const typed = operands[0]?.text ?? ''
  const isName = /\p{L}/u.test(typed) && !/[=/]/.test(typed)
  if (instead === undefined || !isName) return undefined
  const pathLength = words.length - operands.length
  const path = words.slice(0, pathLength)
  return edited(line.argv, replaced(path, instead.split(' ')))
}

/** `api get pets`. Other words are not repeated: they may be misplaced keys. */
export function repairRequest(line: CommandLine): Argv | undefined {
  const { command, operands } = line
  const sendsRequests = notesOf(command).takesObject === 'fields'
  if (!sendsRequests || operands.length > 2) return undefined
  const texts = operands.map(({ text }) => text)
  const [path = '', method = 'get'] = texts.reverse()
  const isRead = /^(get|head)$/i.test(method)
  const described = describedPath.exec(path)?.[1]
  if (described === undefined || !isRead) return undefined
  const request = [method.toUpperCase(), `/${described}`]
  return edited(line.argv, replaced(operands, request))
}

/** `config set base-url URL --env dev`: a URL belongs to an environment. */
export function urlOfEnvironment(line: CommandLine): Argv | undefined {
  const { words, options } = line
  const url = words[3]?.text
  const phrase = joined(words.slice(0, 3))
  const isUrl = /^config set (base-|messages-)?url$/.test(phrase)
  if (!isUrl || url === undefined || words.length > 4) return undefined
  const environment = options.find(({ option }) => option.long === '--env')
  const name = environment?.value?.text ?? 'local'
  if (environment === undefined || name === 'local') return undefined
  const isForMessages = phrase.includes('messages')
  const flag = isForMessages ? '--messages-url' : '--base-url'
  const rest = edited(line.argv, {
    ...removed(words),
    ...withoutOption(environment),
  })
  return ['env', 'set', name, flag, url, ...rest]
}

/** `config set timeout=5`: the value follows the name. */
export function splitAssignment(line: CommandLine): Argv | undefined {
  const { command, operands } = line
  const last = operands.at(-1)
  const missing = command.registeredArguments.length - operands.length
  if (last === undefined || missing !== 1) return undefined
  const assignment = /^([\w-]+)=(.+)$/s.exec(last.text)
  if (assignment === null) return undefined
  const [, name = '', value = ''] = assignment
  return edited(line.argv, { [last.index]: [name, value] })
}

/** Joins the words of a text without quotes, or adds the missing option before each word. */
export async function repairExcess(
  line: CommandLine,
  excess: readonly Word[],
): Promise<Argv | undefined> {
  const { argv, command, operands, options } = line
  const { isText, readsKey, joins } = notesOf(command)
  // An option after `--` is not a part of the text.
  const hasOption = operands.some(({ text }) => text.startsWith('-'))
  if (isText && hasOption) return undefined
  if (isText) {
    const text = joined(operands)
    return edited(argv, replaced(operands, [text]))
  }
  const used = new Set(options.map(({ option }) => option.long))
  const edits: Record<number, Argv> = {}
  const rest: Word[] = []
  for (const word of excess) {
    const asOptions = await fromObject(line, word)
    const meant = asOptions ?? withOption(command, word.text, used)
    if (meant !== undefined) {
      edits[word.index] = meant
      used.add(meant[0])
    } else if (readsKey) {
      edits[word.index] = []
    } else {
      rest.push(word)
    }
    // The `--json` of `--json '{…}'` means the object.
    const before = options.find(({ flag }) => flag.index === word.index - 1)
    const isForObject = isObject(word.text) && before?.option.long === '--json'
    if (isForObject) edits[word.index - 1] = []
  }
  if (rest.length === 0) return edited(argv, edits)
  if (joins === undefined || used.has(joins)) return undefined
  // `available pending` is no name: a list has one status.
  const isSecondValue = rest.some(({ text }) => withOption(command, text, new Set()))
  if (hasOption || isSecondValue || !areTogether(rest)) return undefined
  const text = joined(rest)
  return edited(argv, { ...edits, ...replaced(rest, [joins, text]) })
}

function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ')
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

/** The word with the option that it probably belongs to. */
function withOption(
  command: AnyCommand,
  text: string,
  used: ReadonlySet<string | undefined>,
): Argv | undefined {
  if (isObject(text)) return undefined
  const { fields = [], bareValues = [] } = notesOf(command)
  const [, name = '', value = ''] = /^([a-z][\w-]*)=(.+)$/is.exec(text) ?? []
  const words = name.replace(/([a-z])([A-Z])/g, '$1-$2')
  const flag = `--${words.toLowerCase()}`
  const assigned = name === '' ? undefined : findOption(command, flag)
  const isFree = assigned?.required === true && !used.has(flag)
  if (isFree) return [flag, value]
  // `--json id,name`, as in gh.
  const areFields = text.split(',').every((field) => fields.includes(field))
  if (areFields && !used.has('--fields')) return ['--fields', text]
  const candidates: readonly BareValue[] = [['--env', environmentPattern], ...bareValues]
  for (const [long, pattern = /./] of candidates) {
    if (!pattern.test(text)) continue
    const option = effectiveOptions(command).find((candidate) => candidate.long === long)
    if (option === undefined) continue
    const isRepeatable = Array.isArray(option.defaultValue)
    if (used.has(long) && !isRepeatable) continue
    const read = readable(command, option, text)
    if (read !== undefined) return [long, read]
  }
  return undefined
}

const environmentPattern = new RegExp(`^(${environmentNames({}).join('|')})$`)
