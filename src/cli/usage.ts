import { CommanderError } from '@commander-js/extra-typings'
import { outputFormats } from '../config/preferences.ts'
import type { SettingFlags } from '../config/settings.ts'
import { Failure } from '../failure.ts'

/** How commander says that it printed what was asked for, and nothing is left to do. */
const printedCodes = ['commander.help', 'commander.helpDisplayed', 'commander.version']

export const isPrinted = (error: unknown): boolean =>
  error instanceof CommanderError && printedCodes.includes(error.code)

/** Commander's word for what is wrong with the command line, in the words of this program. */
export function usageFailure(error: unknown, hint: string): Failure | undefined {
  if (!(error instanceof CommanderError)) return undefined
  const message = error.message.replace(/^error: /, '').replace(/\s*\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
  return new Failure('usage', message, { hint, cause: error })
}

/**
 * The manner in which a broken command line wants to be answered. Commander stops reading at the first mistake, and
 * `petstore pets list --limit x --json` is to have its error as JSON all the same.
 */
export function mannerOf(argv: readonly string[]): SettingFlags {
  let flags: SettingFlags = {}
  for (const [index, word] of argv.entries()) {
    const value =
      /^(?:-o|--output=)(.+)$/.exec(word)?.[1] ?? (word === '-o' || word === '--output' ? argv[index + 1] : '')
    const output = outputFormats.find((format) => format === value)
    if (output !== undefined) flags = { ...flags, output }
    if (word === '--json' || word === '--jq' || word.startsWith('--jq=')) flags = { ...flags, output: 'json' }
    if (word === '--no-color' || word === '--color=never') flags = { ...flags, color: 'never' }
  }
  return flags
}
