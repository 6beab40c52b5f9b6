import type { Argument, Option } from '@commander-js/extra-typings'
import {
  type AnyCommand,
  examplesIn,
  exclusionsOf,
  limitsOf,
  notesOf,
} from '../commands/declare.ts'
import { endings, Failure } from '../failure.ts'
import { lineSchemas, type Result, resultSchema } from '../model/results.ts'
import { schemaAsJson } from '../model/schema.ts'
import { documentedVariables } from '../settings/table.ts'
import { isRepeatable } from './argv.ts'
import { declaredOptions, endingsOf } from './help.ts'
import { defaultText } from './option-text.ts'
import { ownOptions, sharedOptions } from './shared-options.ts'
import { childrenOf, commandName, findCommand, isCalled, leavesOf } from './tree.ts'

type Description = Result<'program'>
type CommandDescription = Description['commands'][number]
type OptionDescription = CommandDescription['options'][number]

/**
 * The program as a value, for programs and agents; with words, only the commands that they name.
 */
export function describeProgram(
  program: AnyCommand,
  version: string,
  words: readonly string[],
): Description {
  const head = { name: program.name(), version }
  const commands = namedCommands(program, words).flatMap(leavesOf).map(describeCommand)
  if (words.length > 0) return { ...head, commands }
  return {
    ...head,
    options: ownOptions(program).map(describeOption),
    variables: documentedVariables().map(({ name, about }) => ({ name, description: about })),
    commands,
    exitCodes: endings.map((ending) => ({ ...ending })),
    schemas: Object.fromEntries(
      Object.entries(lineSchemas).map(([name, schema]) => [name, schemaAsJson(schema)]),
    ),
  }
}

/** `pets add messages` names a command and all commands of a group. */
function namedCommands(program: AnyCommand, words: readonly string[]): AnyCommand[] {
  const found: AnyCommand[] = []
  let current = program
  for (const word of words) {
    const below = childrenOf(current).find((command) => isCalled(command, word))
    // A word that does not continue the command before it begins the next one.
    if (below === undefined && current !== program) found.push(current)
    const next = below ?? findCommand(program, [word])
    if (next === undefined)
      throw new Failure('usage', `no command is named '${word}'`, { hint: 'petstore --help' })
    current = next
  }
  return [...found, current]
}

function describeCommand(command: AnyCommand): CommandDescription {
  const {
    changes = 'nothing',
    deprecated,
    prints: [shape, schema] = ['value', 'text'],
  } = notesOf(command)
  return {
    name: commandName(command),
    summary: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    options: declaredOptions(command).map((option) => ({
      ...describeOption(option),
      conflictsWith: conflictsOf(option, command),
    })),
    sharedOptions: sharedOptions(command).map(({ long }) => long ?? ''),
    changes,
    deprecated: deprecated && {
      ...deprecated,
      removedOn: deprecated.removedOn.toISOString().slice(0, 10),
    },
    exitCodes: endingsOf(command).map(({ code }) => code),
    output: { shape, schema: resultSchema(schema, shape === 'array') },
    examples: examplesIn(command).map(([line, about]) => ({ command: line, description: about })),
  }
}

/** The options that its declaration excludes. */
function conflictsOf(option: Option, command: AnyCommand): string[] | undefined {
  const excluded = exclusionsOf(option)
  const others = [...declaredOptions(command), ...sharedOptions(command)]
  const found = others.filter((other) => excluded.includes(other.attributeName()))
  return found.length === 0 ? undefined : found.map(({ long }) => long ?? '')
}

function describeArgument(argument: Argument): CommandDescription['arguments'][number] {
  return {
    name: argument.name(),
    description: argument.description,
    ...limitsIn(argument),
    required: argument.required,
    repeatable: argument.variadic,
  }
}

function describeOption(option: Option): OptionDescription {
  const takesValue = option.required || option.optional
  const limits = { ...limitsIn(option), ...(takesValue ? {} : { type: 'boolean' as const }) }
  const stated = defaultText(option)
  const value = stated === undefined ? undefined : valueOfDefault(stated, option, limits.type)
  // A default in words is no value.
  const words = value === undefined && stated !== undefined ? ` (default: ${stated})` : ''
  return {
    flags: option.flags,
    description: option.description + words,
    ...limits,
    default: value,
    required: option.mandatory,
    repeatable: isRepeatable(option),
  }
}

/** The default as a value of the option's type; undefined for words about it. */
function valueOfDefault(
  stated: string,
  { argChoices }: Option,
  type: OptionDescription['type'],
): string | number | undefined {
  if (type === 'integer' || type === 'number') {
    const number = Number(stated)
    return Number.isNaN(number) ? undefined : number
  }
  const isValue = argChoices === undefined ? !stated.includes(' ') : argChoices.includes(stated)
  return isValue ? stated : undefined
}

function limitsIn({ parseArg, argChoices: choices }: Pick<Option, 'parseArg' | 'argChoices'>) {
  const { type = 'string' as const, minimum, maximum } = limitsOf(parseArg) ?? {}
  return { type, minimum, maximum, choices }
}
