import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { findOption, readArgv } from './argv.ts'
import { ownOptions, sharedOptions } from './shared-options.ts'
import { topics } from './topics/index.ts'
import { childrenOf, findCommand, pathBelow, rootOf } from './tree.ts'

/** A word that fits, and what it means where a shell can show that. */
type Candidate = readonly [word: string, description?: string]

/** What a place on the command line wants. */
type Wanted = 'files' | 'environments' | readonly Candidate[]

/** Asks the shell to complete the name of a file; no candidate begins with a colon. */
const filesLine = ':files'

/** What fits at the end of the words, a line each: the candidate, a tab, and its description. */
export async function completionLines(
  program: AnyCommand,
  words: readonly string[],
  environmentNames: () => Promise<readonly string[]>,
): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const { wanted, prefix } = wantedAt(program, words.slice(0, -1), current)
  if (wanted === 'files') return [filesLine]
  const candidates = wanted === 'environments' ? (await environmentNames()).map((name): Candidate => [name]) : wanted
  return candidates
    .filter(([word]) => word.startsWith(prefix))
    .map(([word, description]) => (description === undefined ? word : `${word}\t${description}`))
}

/** What can follow the finished words. Of `--env=lo` only `lo` is the prefix: shells differ in how they split it. */
function wantedAt(program: AnyCommand, finished: readonly string[], current: string) {
  const line = readArgv(program, finished)
  const { command, operands, unfinished, isLiteral, options } = line
  if (unfinished !== undefined) return { wanted: valueWanted(unfinished), prefix: current }

  const isOption = !isLiteral && current.startsWith('-')
  const [, flag, glued] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  if (isOption && flag !== undefined && glued !== undefined) {
    const option = findOption(command, flag)
    return { wanted: option?.required ? valueWanted(option) : [], prefix: glued }
  }
  if (line.stray !== undefined) return { wanted: [], prefix: current }

  const given = new Set(options.map(({ option }) => option))
  const optionsHere = optionCandidates(command, given)
  if (isOption) return { wanted: optionsHere, prefix: current }
  const wanted =
    command.commands.length > 0
      ? wordCandidates(command)
      : operandCandidates(
          command,
          operands.map(({ text }) => text),
        )
  return { wanted: wanted ?? (isLiteral ? [] : optionsHere), prefix: current }
}

/** The options that mean something here and are not given yet, unless they may be repeated. */
function optionCandidates(command: AnyCommand, given: ReadonlySet<Option>): Candidate[] {
  const isGroup = command.commands.length > 0
  // Any verb may follow a noun, and each takes some of the shared options.
  const here = isGroup ? sharedOptions(rootOf(command)) : [...ownOptions(command), ...sharedOptions(command)]
  return here
    .filter((option) => !given.has(option) || Array.isArray(option.defaultValue))
    .flatMap(({ short, long, description }) =>
      [short, long].filter((flag) => flag !== undefined).map((flag): Candidate => [flag, description]),
    )
}

const wordCandidates = (command: AnyCommand): Candidate[] =>
  childrenOf(command).map((child) => [child.name(), child.summary()])

/** Undefined where no operand can follow. */
function operandCandidates(command: AnyCommand, operands: readonly string[]): Wanted | undefined {
  if (pathBelow(command) === 'help') return helpCandidates(rootOf(command), operands)
  const argument = command.registeredArguments[operands.length]
  return argument && wantedFor(argument.name(), argument.argChoices)
}

/** `petstore help` takes the words of a command, or a topic. */
function helpCandidates(program: AnyCommand, words: readonly string[]): Candidate[] | undefined {
  const command = findCommand(program, words)
  if (command === undefined) return []
  if (words.length > 0 && command.commands.length === 0) return undefined
  const named = topics.map(({ name, summary }): Candidate => [name, summary])
  return [...wordCandidates(command), ...(words.length === 0 ? named : [])]
}

const valueWanted = (option: Option) => wantedFor(/<(.*)>/.exec(option.flags)?.[1] ?? '', option.argChoices)

/** Declarations name what they want: `--file <file>`, `<environment>`. */
function wantedFor(name: string, choices: readonly string[] | undefined): Wanted {
  if (choices !== undefined) return choices.map((choice): Candidate => [choice])
  if (name === 'file') return 'files'
  return name === 'environment' ? 'environments' : []
}
