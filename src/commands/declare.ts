import { Argument, Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { Failure } from '../failure.ts'
import type { Columns } from '../output/view.ts'
import type { Context } from '../session/context.ts'
import type { Subject } from '../settings/setting-row.ts'

/** What commander's declaration cannot say. Every command has the first group. */
interface Notes {
  /** Lines that a user can paste, each below a comment on what it does. */
  readonly examples: string
  /** A paragraph of its help page below the summary. */
  readonly details?: string
  /** What it works with, which decides the shared options: see `subjectsOf`. */
  readonly actsOn?: readonly Subject[]

  // For commands that print data.

  /** The JSON that it prints: by default one value; `lines` are one object each. */
  readonly prints?: 'array' | 'object' | 'value' | 'lines' | 'any'
  /** Of its data: `--fields` chooses from them. */
  readonly columns?: Columns

  // For commands that change something.

  /**
   * Where it changes something: at the service, or in the files on this machine. By default
   * nothing.
   */
  readonly changes?: 'service' | 'machine'
  /**
   * It removes something, as every DELETE does: a wrong command line is never corrected.
   */
  readonly destroys?: true

  // For a few commands.

  /** It runs until a signal, which is its normal end. */
  readonly isEndedBySignal?: boolean
  /** Nothing is missing that it would prompt for, so that a hint can have the line. */
  readonly isComplete?: (options: OptionValues) => boolean
  /** It creates the environment of `--env`, which need not exist yet. */
  readonly createsEnvironment?: true
}

/**
 * A command of the tree: a declaration that can be read and printed, and the function that it runs.
 */
export class DeclaredCommand extends Command {
  declare readonly commands: DeclaredCommand[]
  declare readonly parent: DeclaredCommand | null
  readonly notes: Notes
  /** What was typed for each option, as it was typed; `true` for one without a value. */
  readonly typed = new Map<Option, readonly (string | true)[]>()
  /** Undefined for a group, which only prints its help. */
  run: ((options: OptionValues, context: Context, ...args: unknown[]) => Promise<void>) | undefined

  constructor(name: string, summary: string, notes: Notes) {
    super(name)
    this.notes = notes
    const description = `${summary}\n\n${notes.details ?? ''}`
    this.summary(summary).description(description.trimEnd())
  }

  /** `--name --status sold` lacks the name: commander would take `--status` for it. */
  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    for (const [index, word] of words.entries()) {
      if (word === '--') break
      const taken = this.options.find(({ short, long }) => word === short || word === long)
      if (taken?.required && words[index + 1]?.startsWith('--'))
        throw new Failure('usage', `${word} needs a value`)
    }
    return super.parseOptions(words)
  }

  override restoreStateBeforeParse(): void {
    this.typed.clear()
    super.restoreStateBeforeParse()
  }

  /** Notes what is typed for its options. Commander keeps only the values that it reads from that. */
  noteTyped(): void {
    for (const each of this.options) {
      this.on(`option:${each.name()}`, (text: string | null) => {
        this.typed.set(each, [...(this.typed.get(each) ?? []), text ?? true])
      })
    }
  }

  /**
   * The run prints the page: commander would format it while it reads, and open Node's stdout. What
   * does not exist has none.
   */
  override outputHelp(): void {
    const [word = '-'] = this.args
    const isMissing = this.commands.length > 0 && !word.startsWith('-')
    if (isMissing) this.error(`unknown command '${word}'`, { code: 'commander.unknownCommand' })
  }
}

/**
 * Joins a declaration with what the command does. This is a function because `addOption` loses the
 * types of a subclass.
 */
export function define<Arguments extends unknown[], Options extends OptionValues>(
  declaration: Command<Arguments, Options>,
  run: (options: Options, context: Context, ...args: Arguments) => Promise<void>
): DeclaredCommand {
  // The chain of a declaration begins with `command`.
  const declared = declaration as object as DeclaredCommand
  // Commander's own types of these values are wider than those of the declaration.
  return Object.assign(declared, { run: run as DeclaredCommand['run'] })
}

/** Begins the declaration of one command. */
export function command(name: string, summary: string, notes: Notes): Command {
  return new DeclaredCommand(name, summary, notes)
}

/** A noun with its verbs. Alone, it prints its help. */
export function group(
  name: string,
  summary: string,
  verbs: readonly DeclaredCommand[]
): DeclaredCommand {
  const parent = new DeclaredCommand(name, summary, { examples: '' })
  for (const verb of verbs) parent.addCommand(verb)
  return parent
}

/** A command at a second place of the tree. */
export function renamed(name: string, original: DeclaredCommand): DeclaredCommand {
  const twin = new DeclaredCommand(name, original.summary(), original.notes)
  twin.run = original.run
  for (const each of original.registeredArguments) twin.addArgument(each)
  for (const each of original.options) twin.addOption(each)
  return twin
}

/** Lines that a user can paste, and their descriptions. */
export function examplesIn(command: DeclaredCommand): [line: string, about: string][] {
  const found = command.notes.examples.matchAll(/# (.*)\n *(.*)/g)
  return [...found].map(([, about = '', line = '']) => [line, about])
}

export { Argument }

export const option = <const Flags extends string>(flags: Flags, description: string) =>
  new Option(flags, description)
