import { Failure } from '../failure.ts'
import { concealed } from '../settings/typed-secrets.ts'
import type { CommandLine, Mistake } from './argv.ts'
import { readObject } from './excess-fixes.ts'
import { isObject } from './habits.ts'
import { messageFor } from './mistake-text.ts'
import { type Situation, suggestionFor } from './suggestion.ts'

/**
 * A usage error in this program's wording. Its hint is the corrected command, if there is a good
 * guess.
 */
export async function usageFailure(
  line: CommandLine,
  mistake: Mistake,
  situation: Situation,
): Promise<Failure> {
  const message = messageFor(line, mistake)
  const failure = (whole: string, hint?: string) =>
    new Failure('usage', concealed(whole, line.argv), { hint })
  const reason = (await objectProblem(line, mistake)) ?? inputHelp(mistake, situation)
  if (reason !== undefined) return failure(`${message.replace(/: .*$/s, '')}: ${reason}`)
  const { hint, remaining } = await suggestionFor(line, mistake, situation)
  const next = remaining && messageFor(remaining.line, remaining.mistake)
  // All excess words are in the message of the first mistake.
  const isExcess = mistake.kind === 'excess words' && remaining?.mistake.kind === mistake.kind
  const isNew = next !== undefined && next !== message && !isExcess
  return failure(isNew ? `${message}; also: ${next}` : message, hint)
}

/** Why the JSON on the command line cannot be given as options. */
async function objectProblem(
  { argv, command }: CommandLine,
  { kind }: Mistake,
): Promise<string | undefined> {
  if (kind !== 'unknown option' && kind !== 'excess words') return undefined
  const values = argv.map((word) => word.replace(/^--\w+=|^-d(?=[{[])/, ''))
  const text = values.find(isObject)
  const object = text === undefined ? undefined : await readObject(command, text)
  return object && 'problem' in object ? object.problem : undefined
}

/** A file that was redirected is not read without being asked for. */
function inputHelp(mistake: Mistake, { hasFileInput }: Situation): string | undefined {
  if (!hasFileInput || mistake.kind !== 'missing argument') return undefined
  return mistake.argument.name() === 'file' ? '- reads standard input' : undefined
}
