import type { Option, OptionValues } from '@commander-js/extra-typings'
import { type AnyCommand, asDeclared, type DeclaredCommand, type Values } from '../commands/declare.ts'
import type { SettingFlags } from '../settings/settings.ts'
import { type CommandLine, readArgv } from './argv.ts'
import { readFlags, refuseMisfits } from './shared-options.ts'

/** A command line, and what it asks for. */
export interface ParsedLine {
  readonly typed: CommandLine
  readonly flags: SettingFlags
  readonly result:
    | 'help'
    | 'group'
    | 'version'
    | { readonly command: DeclaredCommand; readonly values: Values }
    /** Thrown by a check, if it has a message of its own; `mistakes.ts` finds every other mistake. */
    | { readonly error: unknown }
}

/** Parsing touches neither disk nor network, and never fails: an error is part of the result. */
export function parseArgv(program: AnyCommand, argv: readonly string[]): ParsedLine {
  const typed = readArgv(program, argv)
  const flags = readFlags(typed.options)
  return { typed, flags, result: resultOf(typed, flags) }
}

function resultOf(line: CommandLine, flags: SettingFlags): ParsedLine['result'] {
  const { command, stray, unknownOptions, unfinished, conflict, missing, excess } = line
  if (line.hasHelpOption) return stray === undefined ? 'help' : { error: undefined }
  try {
    const options = readOptions(line)
    if (options === 'version') return 'version'
    if ((stray ?? unknownOptions[0] ?? unfinished) !== undefined) return { error: undefined }
    if (command.commands.length > 0) return 'group'
    if ((conflict ?? missing ?? excess[0]) !== undefined) return { error: undefined }
    const args = readArguments(line)
    refuseMisfits(line, flags)
    return { command: asDeclared(command), values: { options, args } }
  } catch (error) {
    return { error }
  }
}

/** The values of the command's own options. Those of shared options are settings; here they are only checked. */
function readOptions({ command, options }: CommandLine): OptionValues | 'version' {
  // Commander has the defaults.
  const values: OptionValues = { ...command.opts() }
  for (const { option, value } of options) {
    if (option.long === '--version') return 'version'
    const name = option.attributeName()
    const text = value?.text ?? option.presetArg
    const read = typeof text === 'string' ? readText(option, text, values[name]) : !option.negate
    if (command.options.includes(option)) values[name] = read
  }
  return values
}

function readArguments({ command, operands }: CommandLine): unknown[] {
  return command.registeredArguments.map((argument, index) => {
    if (argument.variadic) return operands.slice(index).map(({ text }) => text)
    const operand = operands[index]
    return operand && readText(argument, operand.text)
  })
}

const readText = ({ parseArg }: Pick<Option, 'parseArg'>, text: string, before?: unknown) =>
  parseArg === undefined ? text : parseArg(text, before)
