import { CommanderError, type Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { formats } from '../output/formats.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { sharedOptions } from './shared-options.ts'
import { commandName, innermost, isDrastic } from './tree.ts'

/** A command line as commander reads it. */
export type ReadLine = ReturnType<typeof readLine>

/**
 * Touches neither disk nor network. Commander keeps what it reads in the commands themselves, so
 * each line that is read takes the place of the one before.
 */
export function readLine(program: DeclaredCommand, argv: readonly string[]) {
  let end: CommanderError | Failure | undefined
  try {
    // As in `--help pets list`.
    const [first = '', ...rest] = argv
    const words = /^(-h|--help)$/.test(first) ? [...rest, first] : argv
    program.parse(words, { from: 'user' })
    requireEffect(innermost(program), program)
    requireText(argv)
  } catch (error) {
    if (!(error instanceof CommanderError || error instanceof Failure)) throw error
    end = error
  }
  const command = innermost(program)
  const { notes } = command
  const isRequest = /^commander\.(version|help)/.test(end?.code ?? '')
  return {
    argv,
    command,
    /** The line asks for the version or a page, which ends commander too. */
    request: isRequest ? end : undefined,
    /** Undefined if the line is right. */
    error: isRequest ? undefined : end,
    /** The error was found before the command ran, so nothing was sent. */
    isBeforeRun: true,
    /** Standard input is not a terminal. */
    isPiped: false,
    /** Nothing is missing that the command would prompt for. */
    isComplete: isRequest || notes.isComplete?.(command.opts()) !== false,
    /** It neither deletes anything nor sends it again. */
    isHarmless: !notes.destroys && !argv.some(long => isDrastic({ long }))
  }
}

/** Refuses what would be ignored: `env unset --dry-run` must not remove anything. */
function requireEffect(command: DeclaredCommand, program: DeclaredCommand) {
  for (const shared of program.typed.keys()) {
    const { long } = shared
    const hasEffect = sharedOptions(command).includes(shared)
    if (!hasEffect) refuse(`${long} has no effect on '${commandName(command)}'`)
    // Commander compares only the options of one command.
    const other = [...command.typed.keys()].find(each => excludes(each, shared))
    if (other !== undefined) refuse(`${other.long} cannot be used with ${long}`)
  }
  requireOneFormat(program.opts())
  requireKnownFields(program.opts(), command)
}

function refuse(problem: string, unknownName?: Failure['unknownName']): never {
  throw new Failure('usage', problem, { unknownName })
}

function excludes(one: Option, other: Option) {
  // Missing from commander's types.
  const { conflictsWith } = one as Option & { readonly conflictsWith: readonly string[] }
  return conflictsWith.includes(other.attributeName())
}

function requireOneFormat({ json, jq, output }: PartialSettings) {
  if (output === undefined || formats[output].kind === 'json') return
  const other = json ? '--json' : jq && '--jq'
  if (other) refuse(`${other} cannot be used with --output ${output}`)
}

function requireKnownFields({ fields = [] }: PartialSettings, { notes }: DeclaredCommand) {
  const known = notes.columns?.names ?? []
  const name = fields.find(field => !known.includes(field))
  if (name === undefined) return
  const problem = `unknown field '${name}': the fields are ${known.join(', ')}`
  refuse(problem, { name, known })
}

/** Node puts a mark where the bytes that were typed are no text: it would be sent in their place. */
function requireText(argv: readonly string[]) {
  if (argv.some(word => word.includes('\ufffd')))
    throw new Failure('usage', 'the command line has bytes that are not UTF-8 text')
}
