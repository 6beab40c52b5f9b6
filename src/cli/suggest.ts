import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import type { CommandLine } from './argv.ts'
import type { Argv } from './fixes.ts'
import { mistakeIn } from './mistakes.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { commandPath, pathBelow } from './tree.ts'

interface Situation {
  readonly version: string
  /** Whether a command may prompt for what is missing. */
  readonly canPrompt: boolean
}

/** A usage error in the words of this program. Its hint is the command that was meant, as far as that can be guessed. */
export function withSuggestion(line: ParsedLine, error: unknown, situation: Situation): Failure {
  const { message, fix, hint } = mistakeIn(line.typed, error)
  const suggestion = fix && suggestionFor(fix, situation)
  return new Failure('usage', message, { hint: suggestion ?? hint })
}

/** A line with more mistakes than this gets no suggestion. */
const maximumFixes = 5

/** Fixes one mistake after another until the command line is right; then it can be run as it is shown. */
function suggestionFor(fix: Argv, situation: Situation): string | undefined {
  let argv = fix
  for (let count = 1; count <= maximumFixes; count += 1) {
    const line = parseArgv(argv, situation.version)
    const { result } = line
    if (typeof result !== 'object' || 'command' in result)
      return mayRepeat(line.typed) ? shown(line, situation) : undefined
    const mistake = mistakeIn(line.typed, result.error)
    if (mistake.fix === undefined) return mistake.hint
    argv = mistake.fix
  }
  return undefined
}

/** A header or a URL may hold a secret. */
function mayRepeat({ argv, options }: CommandLine): boolean {
  const hasSecretHeader = options.some(
    ({ option, value = '' }) => option.long === '--header' && /auth|cookie|key|token|secret/i.test(value),
  )
  return !hasSecretHeader && !argv.some((word) => /:\/\/[^/]*@/.test(word))
}

function shown({ typed, result }: ParsedLine, { canPrompt }: Situation): string {
  const { argv, command } = typed
  const has = (long: string) => typed.options.some(({ option }) => option.long === long)
  const typedAgain = ['petstore', ...argv].map(hintWord).join(' ')
  const path = typeof result === 'object' ? pathBelow(command) : ''
  if (path === 'env set' && !has('--base-url') && !has('--messages-url')) {
    return `${typedAgain} --base-url https://HOST/v1`
  }
  const lacksValues = path === 'pets add' && !has('--file') && !canPrompt
  if (lacksValues && !has('--name')) return `${commandPath(command)} --help`
  if (lacksValues && !has('--category-id')) return `${typedAgain} --category-id 1`
  return typedAgain
}
