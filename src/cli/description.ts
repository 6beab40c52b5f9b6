import type { Argument, Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn } from '../commands/declare.ts'
import { limitsOf } from '../commands/readers.ts'
import { endings } from '../failure.ts'
import { messageSchema, petSchema } from '../model/schema.ts'
import { schemaAsJson } from '../service/openapi.ts'
import type { Subject } from '../settings/setting-row.ts'
import { sharedOptions, subjectsOf } from './shared-options.ts'
import { commandName, leavesOf } from './tree.ts'

/** A command as a value, for programs and agents, or all below a group, with the shared options. */
export function descriptionOf(command: DeclaredCommand) {
  const isProgram = command.parent === null
  const shared = isProgram ? command.options : sharedOptions(command)
  const leaves = leavesOf(command)
  return {
    options: shared.map(describeOption),
    commands: leaves.map(leaf => ({
      ...describeCommand(leaf),
      // Alone, it takes all of them.
      sharedOptions: leaf === command ? undefined : sharedOptions(leaf).map(({ long }) => long)
    }))
  }
}

const schemas = {
  pet: petSchema,
  message: messageSchema
}

function describeCommand(command: DeclaredCommand) {
  const { changes = 'nothing', prints, columns } = command.notes
  const examples = examplesIn(command).map(([line, about]) => `${line}  # ${about}`)
  return {
    name: commandName(command),
    summary: command.summary(),
    arguments: unlessEmpty(command.registeredArguments.map(describeArgument)),
    options: unlessEmpty(command.options.map(describeOption)),
    changes,
    exitCodes: endingsOf(command).map(([code]) => code),
    output: prints && {
      shape: prints,
      fields: columns?.names,
      schema: columns?.noun && schemaAsJson(schemas[columns.noun])
    },
    examples
  }
}

/** JSON leaves out what has no value. */
function unlessEmpty<Item>(items: readonly Item[]) {
  return items.length === 0 ? undefined : items
}

function describeArgument(argument: Argument) {
  return {
    name: argument.name(),
    ...describeValue(argument),
    required: argument.required || undefined
  }
}

function describeOption(option: Option) {
  const { flags, description, required, optional, mandatory } = option
  const { defaultValue, defaultValueDescription } = option
  if (!required && !optional) return { flags, description, type: 'boolean' }
  return {
    flags,
    ...describeValue(option),
    default: defaultValue ?? defaultValueDescription,
    required: mandatory || undefined
  }
}

function describeValue({ description, parseArg, argChoices }: Option | Argument) {
  return {
    description,
    type: 'string',
    ...limitsOf(parseArg),
    choices: argChoices
  }
}

/** The subject that makes an ending possible. Every command can end in the other ways. */
const subjectOfEnding: Readonly<Record<string, Subject>> = {
  rejected: 'requests',
  auth: 'key',
  'not-found': 'requests',
  unreachable: 'requests',
  service: 'requests',
  partial: 'rows',
  'in-doubt': 'changes',
  inconclusive: 'lists'
}

/** The ways in which a command can end. */
function endingsOf(command: DeclaredCommand) {
  const subjects = subjectsOf(command)
  return endings.filter(([, name]) => {
    if (name === 'interrupted' && command.notes.isEndedBySignal) return false
    const subject = subjectOfEnding[name]
    return subject === undefined || subjects.includes(subject)
  })
}
