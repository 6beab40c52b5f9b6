import type { Argument, Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn, limitsOf } from '../commands/declare.ts'
import { schemaAsJson } from '../model/json-schema.ts'
import { messageSchema, petSchema } from '../model/schema.ts'
import { endingsOf, sharedOptions } from './subjects.ts'
import { commandName, leavesOf } from './tree.ts'

/** Commands as a value, for programs and agents: these, or all with the options that they share. */
export function describe(program: DeclaredCommand, command: DeclaredCommand) {
  const commands = leavesOf(command).map(describeCommand)
  if (command !== program) return { commands }
  return {
    options: program.options.map(describeOption),
    commands
  }
}

const schemas = {
  pet: petSchema,
  message: messageSchema
}

function describeCommand(command: DeclaredCommand) {
  const { changes = 'nothing', prints, fields, item } = command.notes
  const examples = examplesIn(command).map(([line, about]) => {
    return `${line}  # ${about}`
  })
  const endings = endingsOf(command)
  return {
    name: commandName(command),
    summary: command.summary(),
    arguments: command.registeredArguments.map(describeArgument),
    options: command.options.map(describeOption),
    sharedOptions: sharedOptions(command).map(({ long }) => long),
    changes,
    exitCodes: endings.map(([code]) => code),
    output: {
      shape: prints,
      fields,
      schema: item && schemaAsJson(schemas[item])
    },
    examples
  }
}

function describeArgument(argument: Argument) {
  return {
    name: argument.name(),
    description: argument.description,
    ...limitsIn(argument),
    required: argument.required
  }
}

function describeOption(option: Option) {
  const { flags, description, defaultValue } = option
  const isFlag = !option.required && !option.optional
  if (isFlag) return { flags, description, type: 'boolean' }
  return {
    flags,
    description,
    ...limitsIn(option),
    default: defaultValue ?? option.defaultValueDescription
  }
}

function limitsIn({ parseArg, argChoices }: Pick<Option | Argument, 'parseArg' | 'argChoices'>) {
  return {
    type: 'string',
    ...limitsOf(parseArg),
    choices: argChoices
  }
}
