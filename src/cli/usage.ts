import { CommanderError } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { colorChoices } from '../model/color.ts'
import { formatNames } from '../output/formats.ts'
import type { SettingFlags } from '../settings/settings.ts'
import { readRequest, unknownCommand } from './request.ts'
import { commandPath } from './tree.ts'

/** How commander says that it printed what was asked for, and nothing is left to do. */
export const isHelp = (error: unknown) => hasCode(error, 'commander.help')
export const isVersion = (error: unknown) => hasCode(error, 'commander.version')

const hasCode = (error: unknown, code: string) => error instanceof CommanderError && error.code === code

/** Commander's word for what is wrong with the command line, in the words of this program. */
export function usageFailure(error: unknown, program: AnyCommand, argv: readonly string[]): Failure | undefined {
  if (!(error instanceof CommanderError)) return undefined
  const request = readRequest(program, argv)
  if (error.code === 'commander.unknownCommand') return unknownCommand(program, request)
  const message = error.message.replace(/^error: /, '').replace(/\s*\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
  return new Failure('usage', message, { hint: `${commandPath(request.command)} --help`, cause: error })
}

/**
 * The manner in which a broken command line wants to be answered. Commander stops reading at the first mistake, and
 * `petstore pets list --limit x --json` is to have its error as JSON all the same.
 */
export function mannerOf(argv: readonly string[]): SettingFlags {
  let flags: SettingFlags = {}
  for (const [index, word] of argv.entries()) {
    if (word === '--') break
    const value =
      /^(?:-o|--output=)(.+)$/.exec(word)?.[1] ?? (word === '-o' || word === '--output' ? argv[index + 1] : '')
    const output = formatNames.find((format) => format === value)
    if (output !== undefined) flags = { ...flags, output }
    if (word === '--json' || word === '--jq' || word.startsWith('--jq=')) flags = { ...flags, output: 'json' }
    const typed = /^--color=(.+)$/.exec(word)?.[1] ?? (word === '--color' ? argv[index + 1] : '')
    const color = word === '--no-color' ? 'never' : colorChoices.find((choice) => choice === typed)
    if (word === '--verbose' || /^-q?v/.test(word)) flags = { ...flags, verbose: true }
    if (color !== undefined) flags = { ...flags, color }
  }
  return flags
}
