import type { AnyCommand } from '../commands/declare.ts'
import { type CommandLine, environmentIn, typedOption, type Word } from './argv.ts'
import type { Repair } from './edits.ts'
import { habitsOf } from './habits.ts'
import { nearest } from './nearest.ts'

/**
 * Options that other programs have for a key. petstore has none, and the value must not be shown.
 */
const keyOptions = [
  '--api-key',
  '--apikey',
  '--key',
  '--token',
  '--auth',
  '--password',
  '--secret',
  '--bearer'
]

/** Whether the option gives an API key to another program. */
export function isKeyOption(command: AnyCommand, flag: string): boolean {
  const isForKey = nearest(flag, keyOptions) !== undefined
  return isForKey && habitsOf(command, flag).length === 0
}

/** A login: the key is not repeated, and of the rest only what says where it belongs. */
export function insteadOfKey(line: CommandLine, word: Word, flag: string): Repair | undefined {
  if (!isKeyOption(line.command, flag)) return undefined
  // The word after the option is the key.
  const operands = line.operands.filter(({ index }) => index !== word.index + 1)
  const environment = environmentIn({ ...line, operands })
  const kept = environment === undefined ? [] : ['--env', environment]
  for (const urlFlag of ['--base-url', '--messages-url']) {
    const url = typedOption(line, urlFlag)?.value?.text
    // Anything else at this place may be the key.
    if (url !== undefined && /^https?:/.test(url)) kept.push(urlFlag, url)
  }
  return { argv: ['auth', 'login', ...kept] }
}
