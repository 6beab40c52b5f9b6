import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { type CommandLine, findOption, readArgv } from './argv.ts'
import { effectiveOptions, sharedOptions } from './shared-options.ts'
import { topics } from './topics.ts'
import { childrenOf, commandsBelow, findCommand, rootOf } from './tree.ts'

/** A possible word, with a description for shells that show one. */
type Candidate = readonly [word: string, description?: string]

/** What is possible at a position on the command line. */
type Expected = 'files' | 'environments' | readonly Candidate[]

/** Asks the shell to complete the name of a file. No candidate begins with a colon. */
const filesLine = ':files'

/** The completions of the last word, one per line: the candidate, a tab and its description. */
export async function completionLines(
  program: AnyCommand,
  words: readonly string[],
  environmentNames: () => Promise<readonly string[]>,
): Promise<string[]> {
  const line = readArgv(program, words.slice(0, -1))
  const current = words.at(-1) ?? ''
  const last = line.options.at(-1)
  const isUnfinished =
    last?.option.required && last.value === undefined && last.flag.index === words.length - 2
  const unfinished = isUnfinished ? last.option : undefined
  const isOption = unfinished === undefined && !line.isLiteral && current.startsWith('-')
  const [, flag, glued] = (isOption && /^(--[^=]+)=(.*)$/s.exec(current)) || []
  const option = flag === undefined ? unfinished : findOption(line.command, flag)
  const other = flag === undefined ? expectedAt(line, isOption) : []
  // Shells split `--env=lo` differently: only `lo` is completed.
  const prefix = glued ?? current
  const expected = option?.required ? valueExpected(line.command, option, prefix) : other
  if (expected === 'files') return [filesLine]
  const candidates =
    expected === 'environments'
      ? (await environmentNames()).map((name): Candidate => [name])
      : expected
  return candidates
    .filter(([word]) => word.startsWith(prefix))
    .map(([word, description]) => (description === undefined ? word : `${word}\t${description}`))
}

/** What can follow the finished words, apart from the value of an option. */
function expectedAt(
  { command, operands, stray, isLiteral, options }: CommandLine,
  isOption: boolean,
): Expected {
  if (stray !== undefined) return []
  const given = new Set(options.map(({ option }) => option))
  const optionsHere = optionCandidates(command, given)
  if (isOption) return optionsHere
  const texts = operands.map(({ text }) => text)
  const expected =
    commandsBelow(command).length > 0 ? wordCandidates(command) : operandCandidates(command, texts)
  return expected ?? (isLiteral ? [] : optionsHere)
}

/** The options that have an effect here and can still be given, or given again. */
function optionCandidates(command: AnyCommand, given: ReadonlySet<Option>): Candidate[] {
  const isGroup = commandsBelow(command).length > 0
  const here = isGroup ? sharedOptions(rootOf(command)) : effectiveOptions(command)
  return here
    .filter((option) => !given.has(option) || Array.isArray(option.defaultValue))
    .flatMap(({ short, long, description }) =>
      [short, long]
        .filter((flag) => flag !== undefined)
        .map((flag): Candidate => [flag, description]),
    )
}

const wordCandidates = (command: AnyCommand): Candidate[] =>
  childrenOf(command).map((child) => [child.name(), child.description()])

/** Undefined if no operand can follow. */
function operandCandidates(command: AnyCommand, operands: readonly string[]): Expected | undefined {
  const { choicesAfter, takesCommand } = notesOf(command)
  if (takesCommand !== undefined)
    return commandCandidates(rootOf(command), operands, takesCommand === 'or topic')
  const argument = command.registeredArguments[operands.length]
  return argument && expectedFor(argument.name(), argument.argChoices ?? choicesAfter?.(operands))
}

/** The words of a command, or a topic. */
function commandCandidates(
  program: AnyCommand,
  words: readonly string[],
  hasTopics: boolean,
): Candidate[] | undefined {
  const command = findCommand(program, words)
  if (command === undefined) return []
  if (words.length > 0 && commandsBelow(command).length === 0) return undefined
  const named = topics.map(({ name, summary }): Candidate => [name, summary])
  return [...wordCandidates(command), ...(hasTopics && words.length === 0 ? named : [])]
}

const valueExpected = (command: AnyCommand, { flags, argChoices }: Option, prefix: string) =>
  expectedFor(/<(.*)>/.exec(flags)?.[1] ?? '', argChoices, () => fieldLists(command, prefix))

/** The list of fields that was typed, `id,na`, with each field that can end it. */
function fieldLists(command: AnyCommand, prefix: string): Candidate[] {
  const finished = prefix.split(',').slice(0, -1)
  const remaining = notesOf(command).fields?.filter((field) => !finished.includes(field)) ?? []
  return remaining.map((field) => [[...finished, field].join(',')])
}

/**
 * The placeholder in the declaration decides: `--file <file>`, `<environment>`, `--fields <names>`.
 */
function expectedFor(
  name: string,
  choices: readonly string[] | undefined,
  fields: () => Expected = () => [],
): Expected {
  if (choices !== undefined) return choices.map((choice): Candidate => [choice])
  if (name === 'file') return 'files'
  if (name === 'names') return fields()
  return name === 'environment' ? 'environments' : []
}
