import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, optionNotes } from '../commands/declare.ts'
import { allOf, oneOf } from '../settings/value-types.ts'
import { reasonAgainst, reasonAgainstValue } from './absences.ts'
import { type CommandLine, longMeant, type Mistake, type Word, wordAfter } from './argv.ts'
import { isKeyOption } from './key-options.ts'
import { childrenOf, commandName, isGroup, leavesOf } from './tree.ts'

export const noKeyOption =
  'an API key cannot be given as an option; petstore auth login asks for it, or reads standard input'

/** What is wrong with a command line, in words. */
export function messageFor(line: CommandLine, mistake: Mistake): string {
  const { command } = line
  switch (mistake.kind) {
    case 'unknown option':
      return unknownOption(command, mistake.word)
    case 'unknown command':
      return unknownCommand(line, mistake.word)
    case 'needless value':
      return `${mistake.option.long} takes no value`
    case 'no value':
      return `${mistake.option.long} needs a value${choicesOf(mistake.option)}`
    case 'missing option':
      return `${mistake.option.long} is missing${choicesOf(mistake.option)}`
    case 'invalid value':
      return invalidValue(command, mistake)
    case 'conflict': {
      const [one, other] = mistake.options
      return `${one.long} and ${other.long} cannot be used together`
    }
    case 'given twice': {
      const { option } = mistake
      return `${option.long} is given twice, with different values${severalOf(option)}`
    }
    case 'missing argument':
      return `the ${mistake.argument.name()} is missing${choicesOf(mistake.argument)}`
    case 'excess words':
      return unexpectedWords(command, mistake.words)
    case 'refused':
      return mistake.failure.message
  }
}

/** What can stand in the place of a word that is not known; undefined if its reason is. */
export function whatThereIs({ command }: CommandLine, mistake: Mistake): string | undefined {
  if (mistake.kind === 'unknown command') {
    if (reasonAgainst(command, mistake.word.text) !== undefined) return undefined
    const names = childrenOf(command).map(child => child.name())
    const isService = leavesOf(command).every(sendsRequests)
    const reason = isService ? 'the service has no such operation; ' : ''
    return `${reason}use ${oneOf(names)}`
  }
  if (mistake.kind !== 'unknown option' || isGroup(command)) return undefined
  const name = optionName(command, mistake.word)
  const isKnown = isKeyOption(command, name) || reasonAgainst(command, name) !== undefined
  if (isKnown) return undefined
  const owner = command.parent?.commands.find(other => {
    return other.options.some(({ long, short }) => long === name || short === name)
  })
  if (owner !== undefined) return `'${commandName(owner)}' has it`
  const flags = command.options.map(({ long }) => long ?? '')
  const options = [...flags, `the options of 'petstore help options'`]
  return `${commandName(command)} has ${allOf(options)}`
}

const sendsRequests = (command: AnyCommand) => command.notes.actsOn?.includes('requests') === true

/** The rest of the word may be a misplaced key. */
function optionName(command: AnyCommand, { text }: Word): string {
  const isOneDash = longMeant(command, text) !== undefined
  const isLong = text.startsWith('--') || isOneDash
  return isLong ? text.replace(/=.*$/s, '') : text.slice(0, 2)
}

function unknownOption(command: AnyCommand, word: Word): string {
  const name = optionName(command, word)
  const message = `unknown option '${name}'`
  if (isKeyOption(command, name)) return `${message}: ${noKeyOption}`
  return withReason(message, reasonAgainst(command, name))
}

function unknownCommand({ command, words }: CommandLine, stray: Word): string {
  const { text } = stray
  const path = `${commandName(command)} ${text}`.trim()
  const reason = reasonAgainst(command, text, wordAfter(words, stray)?.text)
  return withReason(`unknown command '${path}'`, reason)
}

function withReason(message: string, reason: string | undefined): string {
  return reason === undefined ? message : `${message}: ${reason}`
}

function invalidValue(
  command: AnyCommand,
  { declared, value, expected }: Extract<Mistake, { kind: 'invalid value' }>
): string {
  const { argChoices: choices } = declared
  const instead = choices === undefined ? expected : oneOf(choices)
  const several = value.text.includes(',') ? severalOf(declared) : ''
  const isHidden = command.notes.hidesWords === true
  const noun = nounFor(declared, isHidden ? '' : `'${value.text}'`)
  const reason = reasonAgainstValue(value.text)
  const why = reason === undefined ? '' : `; ${reason}`
  return `invalid ${noun.trim()}: use ${instead}${several}${why}`
}

function unexpectedWords(command: AnyCommand, words: readonly Word[]): string {
  if (command.notes.readsKey)
    return 'unexpected argument; an API key cannot be given as an argument'
  const quoted = words.map(({ text }) => `'${text}'`)
  const noun = words.length > 1 ? 'arguments' : 'argument'
  const [argument, another] = command.registeredArguments
  const isOnly = argument !== undefined && another === undefined
  const limit = isOnly ? `: ${commandName(command)} takes one ${argument.name()}` : ''
  return `unexpected ${noun} ${quoted.join(', ')}${limit}`
}

function choicesOf({ argChoices }: Pick<Option, 'argChoices'>): string {
  return argChoices === undefined ? '' : `: use ${oneOf(argChoices)}`
}

/** What to do for several values, where an option takes one. */
function severalOf(declared: Option | Argument): string {
  const { ifSeveral } = 'long' in declared ? optionNotes(declared) : {}
  return ifSeveral === undefined ? '' : `; ${ifSeveral}`
}

/** `--category-id <id>` holds a category id, `--limit <count>` a limit; `--watch` is not a noun. */
function nounFor(declared: Option | Argument, value: string): string {
  if (!('long' in declared)) return `${declared.name()} ${value}`
  const { long = '', flags } = declared
  if (optionNotes(declared).isVerb) return `value ${value} for ${long}`
  const name = long.replace(/^--/, '')
  const placeholder = /<(.*)>/.exec(flags)?.[1]
  const isCompound = placeholder !== undefined && name.endsWith(`-${placeholder}`)
  const noun = isCompound ? name.replaceAll('-', ' ') : name
  return `${noun} ${value}`
}
