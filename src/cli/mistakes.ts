import { Failure } from '../failure.ts'
import { concealed } from '../settings/typed-secrets.ts'
import type { CommandLine, Mistake } from './argv.ts'
import { readObject } from './excess-fixes.ts'
import { isKeyOption } from './key-options.ts'
import { messageFor, noKeyOption, whatThereIs } from './mistake-text.ts'
import { type Situation, suggestionFor } from './suggestion.ts'
import { isObject } from './typed-words.ts'

/**
 * A usage error in this program's wording. Its hint is the corrected command, if there is a good
 * guess.
 */
export async function usageFailure(
  line: CommandLine,
  mistake: Mistake,
  situation: Situation
): Promise<Failure> {
  const message = messageFor(line, mistake)
  const failure = (whole: string, hint?: string) =>
    new Failure('usage', concealed(whole, line.argv), { hint })
  const reason = (await objectProblem(line, mistake)) ?? inputHelp(mistake, situation)
  if (reason !== undefined) return failure(`${message.replace(/: .*$/s, '')}: ${reason}`)
  const { hint, unrepaired } = await suggestionFor(line, mistake, situation)
  if (unrepaired === undefined) {
    const isKeyDropped = mistake.kind === 'unknown command' && hasKeyOption(line)
    return failure(isKeyDropped ? `${message}; also: ${noKeyOption}` : message, hint)
  }
  const alternatives =
    (await objectProblem(unrepaired.line, unrepaired.mistake)) ??
    whatThereIs(unrepaired.line, unrepaired.mistake)
  const ending = alternatives === undefined ? '' : `: ${alternatives}`
  if (unrepaired.mistake === mistake) return failure(`${message}${ending}`, hint)
  const next = messageFor(unrepaired.line, unrepaired.mistake)
  const isNew = next !== message && isAboutTyped(line, mistake, unrepaired.mistake)
  return failure(isNew ? `${message}; also: ${next}${ending}` : message, hint)
}

const hasKeyOption = ({ command, unknownOptions }: CommandLine): boolean =>
  unknownOptions.some(({ text }) => isKeyOption(command, text.replace(/=.*$/s, '')))

/** A repair can make a mistake of its own, which says nothing about what was typed. */
function isAboutTyped({ argv }: CommandLine, first: Mistake, next: Mistake): boolean {
  switch (next.kind) {
    case 'excess words':
      // All of them are in the message of the first mistake.
      return first.kind !== 'excess words'
    case 'unknown option':
    case 'unknown command':
      return argv.includes(next.word.text)
    case 'invalid value':
      return argv.some(word => word.endsWith(next.value.text))
    case 'given twice': {
      const flags = argv.map(word => word.replace(/=.*$/s, ''))
      return flags.filter(flag => flag === next.option.long).length > 1
    }
    default:
      return true
  }
}

/** Why the JSON on the command line cannot be given as options. */
async function objectProblem(
  { argv, command }: CommandLine,
  { kind }: Mistake
): Promise<string | undefined> {
  if (!['unknown option', 'excess words', 'invalid value'].includes(kind)) return undefined
  const values = argv.map(word => word.replace(/^--\w+=|^-d(?=[{[])/, ''))
  const text = values.find(isObject)
  const object = text === undefined ? undefined : await readObject(command, text)
  return object && 'problem' in object ? object.problem : undefined
}

/** A file that was redirected is not read without being asked for. */
function inputHelp(mistake: Mistake, { hasFileInput }: Situation): string | undefined {
  if (!hasFileInput || mistake.kind !== 'missing argument') return undefined
  return mistake.argument.name() === 'file' ? '- reads standard input' : undefined
}
