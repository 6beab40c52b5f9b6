import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, DeclaredCommand } from '../commands/declare.ts'
import { endings } from '../failure.ts'
import { defaultText } from './option-text.ts'
import { ownOptions } from './shared-options.ts'
import { examplesOf, leavesOf, pathBelow } from './tree.ts'

/** The whole program as a value, for programs and agents. Its shape is a promise to them. */
export function describeProgram(program: AnyCommand, version: string) {
  return {
    name: program.name(),
    version,
    options: ownOptions(program).map(describeOption),
    commands: leavesOf(program).map((command) => ({
      name: pathBelow(command),
      summary: command.summary(),
      aliases: command.aliases(),
      ...(command instanceof DeclaredCommand && {
        changes: command.notes.changes !== undefined,
        fields: command.notes.fields ?? [],
      }),
      arguments: command.registeredArguments.map((argument) => ({
        name: argument.name(),
        description: argument.description,
        required: argument.required,
        variadic: argument.variadic,
        choices: argument.argChoices ?? null,
      })),
      options: ownOptions(command).map(describeOption),
      examples: examplesOf(command).map(([line, about]) => ({ command: line, description: about })),
    })),
    exitCodes: endings.map(({ code, name, meaning }) => ({ code, name, meaning })),
  }
}

function describeOption(option: Option) {
  const { defaultValue } = option
  // An empty list is the default of an option that can be repeated.
  const isStated = defaultValue !== undefined && !Array.isArray(defaultValue)
  return {
    flags: option.flags,
    description: option.description,
    choices: option.argChoices ?? null,
    default: isStated ? defaultValue : defaultText(option) || null,
  }
}
