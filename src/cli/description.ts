import type { Argument, Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn, limitsOf } from '../commands/declare.ts'
import { messageSchema, petSchema, schemaAsJson } from '../model/schema.ts'
import { endingsOf, sharedOptions } from './subjects.ts'
import { commandName, leavesOf } from './tree.ts'

/** Commands as a value, for programs and agents: these, or all with the options that they share. */
export function describe(program: DeclaredCommand, command: DeclaredCommand) {
  const commands = leavesOf(command).map(leaf => describeCommand(leaf, program))
  const options = program.options.map(describeOption)
  return command === program ? { options, commands } : { commands }
}

const schemas = { pet: petSchema, message: messageSchema }

function describeCommand(command: DeclaredCommand, program: DeclaredCommand) {
  const { changes = 'nothing', prints, fields, item } = command.notes
  const shared = sharedOptions(command, program).map(({ long }) => long)
  const examples = examplesIn(command).map(([line, about]) => `${line}  # ${about}`)
  return {
    name: commandName(command),
    summary: command.summary(),
    arguments: filled(command.registeredArguments.map(describeArgument)),
    options: filled(command.options.map(describeOption)),
    sharedOptions: shared,
    changes,
    exitCodes: endingsOf(command).map(([code]) => code),
    output: { shape: prints, fields, schema: item && schemaAsJson(schemas[item]) },
    examples: filled(examples)
  }
}

const filled = <Item>(items: readonly Item[]) => (items.length > 0 ? items : undefined)

function describeArgument(argument: Argument) {
  const { description, required, variadic } = argument
  return {
    name: argument.name(),
    description,
    ...limitsIn(argument),
    required: required || undefined,
    repeatable: variadic || undefined
  }
}

function describeOption(option: Option) {
  const { flags, description, defaultValue, defaultValueDescription } = option
  const takesValue = option.required || option.optional
  return {
    flags,
    description,
    ...(takesValue ? limitsIn(option) : { type: 'boolean' }),
    default: takesValue ? (defaultValueDescription ?? defaultValue) : undefined
  }
}

function limitsIn({
  parseArg,
  argChoices: choices
}: Pick<Option | Argument, 'parseArg' | 'argChoices'>) {
  const { type = 'string' as const, minimum, maximum } = limitsOf(parseArg) ?? {}
  return { type, minimum, maximum, choices }
}
