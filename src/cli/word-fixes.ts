import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { reasonAgainst } from './absences.ts'
import { type CommandLine, typedOption, type Word } from './argv.ts'
import { commandHabits, describedPath } from './command-habits.ts'
import { type Argv, edited, joined, removed, replaced, withoutOption } from './edits.ts'
import { meantBy, meantOptions, withAdded } from './habit-match.ts'
import { nearest } from './nearest.ts'
import { childrenOf, commandName } from './tree.ts'
import { mayBeName } from './value-fixes.ts'

/** No row of `commandHabits` has more words. */
const longestPhrase = 3

/** The first words of the command line, as other programs would understand them. */
export function byCommandHabit(line: CommandLine): Argv | undefined {
  const { argv, command, words } = line
  for (let count = longestPhrase; count >= 0; count -= 1) {
    const swapped = count === 1 ? nounFirst(line, /^pet$/i) : undefined
    if (swapped !== undefined) return swapped
    const typedPhrase = joined(words.slice(0, count))
    const phrase = typedPhrase.toLowerCase().replaceAll('_', '-')
    const habits = commandHabits.filter(({ typed }) => typed.includes(phrase))
    for (const habit of habits) {
      const meant = meantBy(habit, command, words[count])
      if (meant === undefined) continue
      const length = habit.value === undefined ? count : count + 1
      const typedWords = words.slice(0, length)
      const repaired = edited(argv, replaced(typedWords, meant.words))
      return withAdded(line, repaired, meant.adds, meantOptions(line))
    }
  }
  return nounFirst(line, /^pets$/i)
}

/**
 * `update pet 3`: the verb follows the noun. A row about the verb alone comes before a plural, as in
 * `describe pets list`.
 */
function nounFirst({ argv, command, words }: CommandLine, form: RegExp): Argv | undefined {
  const [verb, noun] = words
  const isFirst = command.parent === null
  if (verb === undefined || noun === undefined || !isFirst) return undefined
  const isNoun = form.test(noun.text)
  const hasReason = reasonAgainst(command, verb.text, noun.text) !== undefined
  if (!isNoun || hasReason) return undefined
  const meant = ['pets', verb.text]
  return edited(argv, replaced([verb, noun], meant))
}

/** A word that is not a command where a command is expected. */
export function repairCommand(
  { argv, command, words }: CommandLine,
  stray: Word,
): Argv | undefined {
  const next = words.find(({ index }) => index === stray.index + 1)
  const reason = reasonAgainst(command, stray.text, next?.text)
  if (reason !== undefined) return undefined
  if (stray.text === 'help') {
    const others = edited(argv, removed([stray]))
    return [...others, '--help']
  }
  const names = childrenOf(command).flatMap((child) => {
    return [child.name(), ...child.aliases()]
  })
  const meant = nearest(stray.text, names) ?? nearest(stray.text, verbsFor(command))
  if (meant === undefined) return undefined
  return edited(argv, { [stray.index]: [meant] })
}

/** Other programs' words for the commands of a group: `pets create`. */
function verbsFor(command: AnyCommand): string[] {
  const phrases = commandHabits.flatMap(({ typed }) => typed)
  return phrases.flatMap((phrase) => {
    const [group, verb, ...others] = phrase.split(' ')
    const isOfGroup = group === commandName(command) && others.length === 0
    return isOfGroup && verb !== undefined ? verb : []
  })
}

/** `pets get Rex`: what is no id may be a name. */
export function insteadOfId(line: CommandLine): Argv | undefined {
  const { command, words, operands } = line
  const { instead } = notesOf(command)
  const typed = operands[0]?.text ?? ''
  if (instead === undefined || !mayBeName(typed)) return undefined
  const pathLength = words.length - operands.length
  const path = words.slice(0, pathLength)
  return edited(line.argv, replaced(path, instead.split(' ')))
}

/** A method that the line of a request names, and which deletes nothing. */
const harmlessMethod = /^(get|head|post|put|patch)$/i

/** `api get pets`, `api /pets POST`. Other words are not repeated: they may be misplaced keys. */
export function repairRequest(line: CommandLine): Argv | undefined {
  const { command, operands } = line
  const sendsRequests = notesOf(command).takesObject === 'fields'
  if (!sendsRequests || operands.length > 2) return undefined
  const path = operands.find(({ text }) => describedPath.test(text))
  const method = operands.find((operand) => operand !== path)?.text ?? 'get'
  const described = describedPath.exec(path?.text ?? '')?.[1]
  if (described === undefined || !harmlessMethod.test(method)) return undefined
  const request = [method.toUpperCase(), `/${described}`]
  return edited(line.argv, replaced(operands, request))
}

/** `config set base-url URL --env dev`: a URL belongs to an environment. */
export function urlOfEnvironment(line: CommandLine): Argv | undefined {
  const { words } = line
  const url = words[3]?.text
  const phrase = joined(words.slice(0, 3))
  const isUrl = /^config set (base-|messages-)?url$/.test(phrase)
  if (!isUrl || url === undefined || words.length > 4) return undefined
  const environment = typedOption(line, '--env')
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

/** `config set --timeout 5` */
export function settingAsOption({
  argv,
  command,
  operands,
  options,
}: CommandLine): Argv | undefined {
  const [argument] = command.registeredArguments
  const typed = options.find(({ option }) => argument?.argChoices?.includes(option.name()))
  if (typed?.value === undefined || operands.length > 0) return undefined
  const words = [typed.option.name(), typed.value.text]
  return edited(argv, { ...withoutOption(typed), [typed.flag.index]: words })
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
