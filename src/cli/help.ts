import { type AnyCommand, DeclaredCommand } from '../commands/declare.ts'
import { topics } from './topics.ts'

/** Commander's help with what it does not know: examples, and the options of every command. */
export function styleHelp(command: AnyCommand): void {
  command.configureHelp({ showGlobalOptions: true, sortSubcommands: false })
  command.addHelpText('after', () => examplesOf(command) + (command.parent === null ? topicList() : ''))
}

/** The page for `petstore help WORDS`: a command's, or a topic's. */
export function helpPage(program: AnyCommand, words: readonly string[]): string | undefined {
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined
  if (topic !== undefined) return topic.text()
  return findCommand(program, words)?.helpInformation()
}

function topicList(): string {
  const rows = topics.map(({ name, summary }) => `  petstore help ${name.padEnd(14)}${summary}`)
  return ['', '', 'Topics:', ...rows].join('\n')
}

function findCommand(command: AnyCommand, words: readonly string[]): AnyCommand | undefined {
  const [first, ...rest] = words
  if (first === undefined) return command
  const child = command.commands.find((candidate) => candidate.name() === first)
  return child && findCommand(child, rest)
}

function examplesOf(command: AnyCommand): string {
  if (!(command instanceof DeclaredCommand)) return ''
  const lines = command.notes.examples.map(([line, about]) => `  # ${about}\n  ${line}`)
  return ['', 'Examples:', ...lines].join('\n')
}
