import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, limitsOf, notesOf } from '../commands/declare.ts'
import { endings, Failure } from '../failure.ts'
import { lineSchemas, type Result, resultSchema, schemaAsJson } from '../model/results.ts'
import { documentedVariables } from '../settings/table.ts'
import { declaredOptions, endingsOf } from './help.ts'
import { defaultText } from './option-text.ts'
import { ownOptions, sharedOptions } from './shared-options.ts'
import { childrenOf, commandName, findCommand, isCalled, leavesOf } from './tree.ts'

type Description = Result<'program'>

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
    options: ownOptions(program).map((option) => describeOption(option)),
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

function describeCommand(command: AnyCommand): Description['commands'][number] {
  const {
    changes = 'nothing',
    deprecated,
    examples,
    prints = { shape: 'value', schema: 'text' },
  } = notesOf(command)
  return {
    name: commandName(command),
    summary: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    options: declaredOptions(command).map((option) =>
      describeOption(option, isRequired(option, command)),
    ),
    sharedOptions: sharedOptions(command).map(({ long }) => long ?? ''),
    changes,
    deprecated: deprecated
      ? { ...deprecated, removedOn: deprecated.removedOn.toISOString().slice(0, 10) }
      : null,
    exitCodes: endingsOf(command).map(({ code }) => code),
    output: { shape: prints.shape, schema: resultSchema(prints.schema, prints.shape === 'array') },
    examples: examples.map(([line, about]) => ({ command: line, description: about })),
  }
}

/**
 * Whether a command needs it. A file that gives the same values and excludes the option is no
 * reason against that.
 */
function isRequired({ long, mandatory }: Option, command: AnyCommand): boolean {
  const isFile = (flag: string) => flag === '--file'
  const needs = notesOf(command).needs ?? []
  return (
    mandatory ||
    needs.some(({ options: [first, ...others] }) => first === long && others.every(isFile))
  )
}

function describeArgument(
  argument: Argument,
): Description['commands'][number]['arguments'][number] {
  return {
    name: argument.name(),
    description: argument.description,
    ...limitsIn(argument),
    required: argument.required,
    repeatable: argument.variadic,
  }
}

function describeOption(
  option: Option,
  isNeeded = false,
): Description['commands'][number]['options'][number] {
  const limits =
    option.required || option.optional
      ? limitsIn(option)
      : { ...limitsIn(option), type: 'boolean' as const }
  const stated = defaultText(option) ?? null
  const isNumber = limits.type === 'integer' || limits.type === 'number'
  return {
    flags: option.flags,
    description: option.description,
    ...limits,
    default: isNumber && stated !== null && !Number.isNaN(Number(stated)) ? Number(stated) : stated,
    required: isNeeded,
    repeatable: Array.isArray(option.defaultValue),
  }
}

function limitsIn({ parseArg, argChoices }: Pick<Option, 'parseArg' | 'argChoices'>) {
  const { type = 'string' as const, minimum = null, maximum = null } = limitsOf(parseArg) ?? {}
  return { type, minimum, maximum, choices: argChoices === undefined ? null : [...argChoices] }
}
