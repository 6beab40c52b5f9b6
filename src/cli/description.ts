import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, examplesIn, exclusionsOf, limitsOf } from '../commands/declare.ts'
import { endings, Failure } from '../failure.ts'
import { lineSchemas, type Result, resultSchema } from '../model/results.ts'
import { schemaAsJson } from '../model/schema.ts'
import { documentedVariables } from '../settings/table.ts'
import { isRepeatable, takesValue } from './argv.ts'
import { endingsOf, plainDefault } from './help.ts'
import { effectiveOptions, sharedOptions } from './shared-options.ts'
import { commandName, findCommand, leavesOf } from './tree.ts'

type Description = Result<'program'>
type CommandDescription = Description['commands'][number]
type OptionDescription = CommandDescription['options'][number]

/**
 * The program as a value, for programs and agents; with words, only the commands that they name.
 */
export function describeProgram(
  program: AnyCommand,
  version: string,
  words: readonly string[]
): Description {
  const head = { name: program.name(), version }
  const named = namedCommands(program, words)
  if (named.length > 0) return { ...head, commands: named.flatMap(leavesOf).map(describeCommand) }
  return {
    ...head,
    options: program.options.map(describeOption),
    variables: documentedVariables().map(({ name, about }) => ({ name, description: about })),
    commands: leavesOf(program).map(describeCommand),
    exitCodes: endings.map(([code, name, meaning]) => ({ code, name, meaning })),
    schemas: Object.fromEntries(
      Object.entries(lineSchemas).map(([name, schema]) => [name, schemaAsJson(schema)])
    )
  }
}

/** `pets add messages` names a command and all commands of a group. */
function namedCommands(program: AnyCommand, words: readonly string[]): AnyCommand[] {
  const found: AnyCommand[] = []
  for (const word of words) {
    const last = found.at(-1)
    const below = last && findCommand(last, [word])
    if (below !== undefined) found.pop()
    // A word that does not continue the command before it begins the next one.
    const next = below ?? findCommand(program, [word])
    if (next === undefined)
      throw new Failure('usage', `no command is named '${word}'`, { hint: 'petstore --help' })
    found.push(next)
  }
  return found
}

function describeCommand(command: AnyCommand): CommandDescription {
  const {
    changes = 'nothing',
    deprecated,
    prints: [shape, schema] = ['value', 'text']
  } = command.notes
  return {
    name: commandName(command),
    summary: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    options: command.options.map(option => ({
      ...describeOption(option),
      conflictsWith: conflictsOf(option, command)
    })),
    sharedOptions: sharedOptions(command).map(({ long }) => long ?? ''),
    changes,
    deprecated: deprecated && {
      ...deprecated,
      removedOn: deprecated.removedOn.toISOString().slice(0, 10)
    },
    exitCodes: endingsOf(command).map(([code]) => code),
    output: { shape, schema: resultSchema(schema, shape === 'array') },
    examples: examplesIn(command).map(([line, about]) => ({ command: line, description: about }))
  }
}

/** The options that its declaration excludes. */
function conflictsOf(option: Option, command: AnyCommand): string[] | undefined {
  const excluded = exclusionsOf(option)
  const options = effectiveOptions(command)
  const found = options.filter(other => excluded.includes(other.attributeName()))
  return found.length === 0 ? undefined : found.map(({ long }) => long ?? '')
}

function describeArgument(argument: Argument): CommandDescription['arguments'][number] {
  return {
    name: argument.name(),
    description: argument.description,
    ...limitsIn(argument),
    required: argument.required,
    repeatable: argument.variadic
  }
}

function describeOption(option: Option): OptionDescription {
  const { flags, description, defaultValueDescription: words, mandatory } = option
  const limits = limitsIn(option)
  // A default in words is no value.
  const isInWords = words?.includes(' ') === true
  return {
    flags,
    description: isInWords ? `${description} (default: ${words})` : description,
    ...limits,
    type: takesValue(option) ? limits.type : 'boolean',
    default: isInWords ? undefined : (words ?? plainDefault(option)),
    required: mandatory,
    repeatable: isRepeatable(option)
  }
}

function limitsIn({ parseArg, argChoices: choices }: Pick<Option, 'parseArg' | 'argChoices'>) {
  const { type = 'string' as const, minimum, maximum } = limitsOf(parseArg) ?? {}
  return { type, minimum, maximum, choices }
}
