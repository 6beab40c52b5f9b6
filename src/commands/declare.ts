import { Argument, Command, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { int64Limits } from '../model/pets.ts'

/** A line that a user can paste, and what it is good for. */
export type Example = readonly [line: string, about: string]

/**
 * What a command acts on, and so which of the options that every command takes mean something to it, and how it can end:
 * an environment (`--env`), its key, requests (`--timeout`), those that change things at the service, the rows of a
 * file, data on stdout (`--output`), its fields (`--fields`), JSON that is not ours to shape but by `--jq`, which data
 * takes too; or the settings, whatever they are good for.
 */
export type Subject = 'environment' | 'key' | 'requests' | 'changes' | 'rows' | 'data' | 'fields' | 'json' | 'settings'

interface Notes {
  readonly actsOn?: readonly Subject[]
  /** The fields of its data, by which `--fields` chooses. */
  readonly fields?: readonly string[]
  /** It runs until a signal comes, which is no interruption then. */
  readonly isEndedBySignal?: boolean
  readonly examples: readonly Example[]
}

/** A command with what help, the man page and completion want to know beyond commander's own fields. */
export class DeclaredCommand extends Command {
  readonly notes: Notes

  constructor(name: string, notes: Notes) {
    super(name)
    this.notes = notes
    this.helpCommand(false)
  }

  /**
   * Commander calls this for an option that nobody declared. The value behind `=` is cut off, so that the nearest
   * right option is found, and so that a key in the wrong place is not printed.
   */
  unknownOption(flag: string): void {
    const cut = flag.startsWith('--') ? flag.replace(/=.*$/s, '') : flag.slice(0, 2)
    const withTwoDashes = `-${flag.replace(/=.*$/s, '')}`
    if (hasOption(this, withTwoDashes)) {
      this.error(`unknown option '${cut}'; did you mean ${withTwoDashes}?`, { code: 'commander.unknownOption' })
    }
    const inherited = Command.prototype as unknown as { unknownOption(this: Command, flag: string): void }
    inherited.unknownOption.call(this, cut)
  }
}

function hasOption(command: AnyCommand, flag: string): boolean {
  return (
    command.options.some(({ long }) => long === flag) || (command.parent !== null && hasOption(command.parent, flag))
  )
}

/** Begins the declaration of one command. */
export function command(name: string, summary: string, notes: Notes): Command {
  return new DeclaredCommand(name, notes).summary(summary).description(summary)
}

/** A noun with its verbs; alone it prints its help. */
export function group(
  name: string,
  summary: string,
  commands: readonly AnyCommand[],
  examples: readonly Example[],
): Command {
  const parent = new DeclaredCommand(name, { examples }).summary(summary).description(summary)
  for (const child of commands) parent.addCommand(child)
  return parent
}

/** A command whatever its arguments and options are. */
export type AnyCommand = CommandUnknownOpts

export const argument = <const Flags extends string>(flags: Flags, description: string) =>
  new Argument(flags, description)

export const option = <const Flags extends string>(flags: Flags, description: string) => new Option(flags, description)

/** Reads a whole number within limits, both included. */
export const wholeNumber = (minimum: number, maximum: number) => (text: string) => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum)) {
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  }
  return value
}

/** Reads an integer as exactly as the service holds it. */
export const int64 = (text: string): bigint => {
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
  if (value === undefined || value < int64Limits.minimum || value > int64Limits.maximum) {
    throw new InvalidArgumentError('It must be an integer of 64 bits.')
  }
  return value
}

/** What a reader of options would say of a text, for a prompt. */
export const problemWith = (read: (text: string) => unknown) => (text: string) => {
  try {
    read(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
