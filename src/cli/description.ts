import type { Argument, Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn, limitsOf } from '../commands/declare.ts'
import { endings, Failure } from '../failure.ts'
import { documentedVariables } from '../settings/table.ts'
import { endingsOf } from './help.ts'
import { sharedOptions } from './shared-options.ts'
import { commandName, findCommand, leavesOf } from './tree.ts'

/** The program as a value, for programs and agents. */
export function describeProgram(
  program: DeclaredCommand,
  version: string,
  words: readonly string[]
) {
  const named = findCommand(program, words)
  if (named === undefined)
    throw new Failure('usage', `no command is named '${words.join(' ')}'`, {
      hint: 'petstore --help'
    })
  return {
    name: program.name(),
    version,
    options: program.options.filter(({ hidden }) => !hidden).map(describeOption),
    variables: documentedVariables().map(({ name, about }) => ({ name, description: about })),
    commands: leavesOf(named).map(command => describeCommand(command, program)),
    exitCodes: endings.map(([code, name, meaning]) => ({ code, name, meaning }))
  }
}

function describeCommand(command: DeclaredCommand, program: DeclaredCommand) {
  const { changes = 'nothing', deprecated, prints: shape = 'value', fields } = command.notes
  return {
    name: commandName(command),
    summary: command.description(),
    arguments: command.registeredArguments.map(argument => ({
      name: argument.name(),
      ...limitsIn(argument),
      description: argument.description,
      required: argument.required,
      repeatable: argument.variadic
    })),
    options: command.options.map(describeOption),
    sharedOptions: sharedOptions(command, program).map(({ long }) => long),
    changes,
    deprecated,
    exitCodes: endingsOf(command).map(([code]) => code),
    output: { shape, fields },
    examples: examplesIn(command).map(([line, about]) => ({ command: line, description: about }))
  }
}

function describeOption(option: Option) {
  const { flags, description, defaultValue, defaultValueDescription, mandatory } = option
  const isRepeatable = Array.isArray(defaultValue)
  return {
    flags,
    description,
    ...limitsIn(option),
    default: defaultValueDescription ?? (isRepeatable ? undefined : defaultValue),
    required: mandatory,
    repeatable: isRepeatable
  }
}

function limitsIn({
  parseArg,
  argChoices: choices
}: Pick<Option | Argument, 'parseArg' | 'argChoices'>) {
  const { type = 'string' as const, minimum, maximum } = limitsOf(parseArg) ?? {}
  return { type, minimum, maximum, choices }
}
