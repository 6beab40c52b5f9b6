import type { Argument } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { reasonAgainst } from './absences.ts'
import { type CommandLine, type Word, wordAfter } from './argv.ts'
import { edited, joined, type Repair, removed, replaced, withoutOption } from './edits.ts'
import { habitsIn, meantBy, rowsIn } from './habits.ts'
import { nearest } from './nearest.ts'
import { childrenOf, commandName } from './tree.ts'

/** No row of habits.txt has more words. */
const longestPhrase = 3

/** The first words of the command line, as other programs would understand them. */
export function byHabit(line: CommandLine): Repair | undefined {
  const { argv, command, words } = line
  // Without a word, the rows are those about a value alone.
  for (let count = longestPhrase; count >= 0; count -= 1) {
    // The rows about the verb alone come after `describe pet` and before `describe pets list`.
    const swapped = count === 1 ? nounFirst(line, /^pet$/i) : undefined
    if (swapped !== undefined) return swapped
    const phrase = joined(words.slice(0, count)).replaceAll('_', '-')
    for (const habit of habitsIn('words', phrase)) {
      const meant = meantBy(habit, command, words[count]?.text)
      if (meant === undefined) continue
      const length = habit.value === undefined ? count : count + 1
      const typed = words.slice(0, length)
      return edited(argv, replaced(typed, meant.words), meant.adds)
    }
  }
  return nounFirst(line, /^pets$/i)
}

/** `update pet 3`: the verb follows the noun. */
function nounFirst({ argv, command, words }: CommandLine, form: RegExp): Repair | undefined {
  const [verb, noun] = words
  const isFirst = command.parent === null
  if (verb === undefined || noun === undefined || !isFirst) return undefined
  const hasReason = reasonAgainst(command, verb.text, noun.text) !== undefined
  if (!form.test(noun.text) || hasReason) return undefined
  const meant = ['pets', verb.text]
  return edited(argv, replaced([verb, noun], meant))
}

/** A word that is not a command where a command is expected. */
export function repairCommand(
  { argv, command, words }: CommandLine,
  stray: Word
): Repair | undefined {
  const next = wordAfter(words, stray)
  const reason = reasonAgainst(command, stray.text, next?.text)
  if (reason !== undefined) return undefined
  if (stray.text === 'help') return edited(argv, removed([stray]), [['--help']])
  const names = childrenOf(command).flatMap(child => {
    return [child.name(), ...child.aliases()]
  })
  const verbs = verbsFor(command)
  const meant = nearest(stray.text, names) ?? nearest(stray.text, verbs)
  if (meant === undefined) return undefined
  return edited(argv, { [stray.index]: [meant] })
}

/** Other programs' words for the commands of a group: `pets create`. */
function verbsFor(command: AnyCommand): string[] {
  const phrases = rowsIn('words').flatMap(({ typed }) => typed)
  return phrases.flatMap(phrase => {
    const [group, verb, ...others] = phrase.split(' ')
    const isOfGroup = group === commandName(command) && others.length === 0
    return isOfGroup && verb !== undefined ? verb : []
  })
}

/** A path that the service describes and that can be read, also without its slash or in a URL. */
const describedPath = /^(?:https?:\/\/[\w.:-]+(?=\/))?\/?(?:v1\/)?(pets(?:\/\d+)?)$/i

/** A method that the line of a request names, and which deletes nothing. */
const harmlessMethod = /^(get|head|post|put|patch)$/i

/** `api get pets`, `api /pets POST`. Other words are not repeated: they may be misplaced keys. */
export function repairRequest(line: CommandLine): Repair | undefined {
  const { command, operands } = line
  const sendsRequests = command.notes.takesObject === 'fields'
  if (!sendsRequests || operands.length > 2) return undefined
  const path = operands.find(({ text }) => describedPath.test(text))
  const other = operands.find(operand => operand !== path)
  const method = other?.text ?? 'get'
  const described = describedPath.exec(path?.text ?? '')?.[1]
  if (described === undefined || !harmlessMethod.test(method)) return undefined
  const request = [method.toUpperCase(), `/${described}`]
  return edited(line.argv, replaced(operands, request))
}

/** `config set --timeout 5`, `env set --env dev`: the option is the argument. */
export function optionAsArgument(
  { argv, words, operands, options }: CommandLine,
  argument: Argument
): Repair | undefined {
  const isEnvironment = argument.name() === 'environment'
  const typed = options.find(({ option }) => {
    if (isEnvironment) return option.long === '--env'
    return argument.argChoices?.includes(option.name())
  })
  const verb = words.at(-1)
  if (typed?.value === undefined || verb === undefined || operands.length > 0) return undefined
  const name = isEnvironment ? [] : [typed.option.name()]
  const meant = [verb.text, ...name, typed.value.text]
  return edited(argv, {
    ...withoutOption(typed),
    [verb.index]: meant
  })
}

/** `config set timeout=5`: the value follows the name. */
export function splitAssignment({ argv, command, operands }: CommandLine): Repair | undefined {
  const last = operands.at(-1)
  const isOneMissing = command.registeredArguments.length === operands.length + 1
  const assignment = /^([\w-]+)=(.+)$/s.exec(last?.text ?? '')
  const [, name, value] = assignment ?? []
  if (last === undefined || name === undefined || value === undefined) return undefined
  if (!isOneMissing) return undefined
  return edited(argv, { [last.index]: [name, value] })
}
