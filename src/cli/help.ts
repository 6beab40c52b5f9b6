import { type DeclaredCommand, type Example, examplesIn } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { endings, Failure } from '../failure.ts'
import type { Subject } from '../settings/table.ts'
import { sharedOptions, subjectsOf } from './shared-options.ts'
import { helpTopics } from './topics.ts'
import { childrenOf, findCommand, rootOf } from './tree.ts'

/** Prints the page of a command, at the width of the terminal. */
export async function printCommandHelp(
  command: DeclaredCommand,
  { host, output }: Context
): Promise<void> {
  command.configureHelp({ helpWidth: host.terminal.stdout ? Math.min(host.columns(), 100) : 80 })
  await output.text(`${command.helpInformation()}${moreAbout(command).join('\n')}`.trimEnd())
}

/** Prints the help page for `petstore help WORDS`, a command's or a topic's. */
export async function printHelpOn(
  program: DeclaredCommand,
  words: readonly string[],
  context: Context
): Promise<void> {
  const phrase = words.join(' ')
  const topic = helpTopics().find(({ name }) => name === phrase)
  if (topic !== undefined) return context.output.text(topic.page.trimEnd())
  const command = findCommand(program, words)
  if (command !== undefined) return printCommandHelp(command, context)
  const group = findCommand(program, words.slice(0, -1))
  const names = group ? childrenOf(group).map(child => child.name()) : []
  const known = [...names, ...helpTopics().map(({ name }) => name)]
  throw new Failure('usage', `no command or topic is named '${phrase}'`, {
    hint: 'petstore help',
    unknownName: { name: words.at(-1) ?? '', known }
  })
}

/** What commander's page does not have. */
function moreAbout(command: DeclaredCommand): string[] {
  const isRoot = command.parent === null
  const flags = sharedOptions(command, rootOf(command)).map(({ long }) => long)
  const codes = endingsOf(command).map(([code, name]) => `${code} ${name}`)
  const topics = helpTopics().map(({ name, summary }) => `  help ${name.padEnd(14)}${summary}`)
  return [
    ...(command.notes.details ?? []).flatMap(text => ['', text]),
    ...section('Fields', [command.notes.fields?.join(', ') ?? []].flat()),
    ...section(
      'Examples',
      examplesOf(command).flatMap(([line, about]) => [`# ${about}`, line])
    ),
    ...(isRoot ? ['', 'Topics:', ...topics] : []),
    ...section('Shared options (petstore help options)', isRoot ? [] : [flags.join(', ')]),
    ...section('Exit codes (petstore help exit-codes)', command.run ? [codes.join(', ')] : [])
  ]
}

const section = (heading: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', `${heading}:`, ...lines.map(line => `  ${line}`)]

/** For a group, the first example of each verb. */
function examplesOf(command: DeclaredCommand): readonly Example[] {
  const own = examplesIn(command)
  return own.length > 0 ? own : childrenOf(command).flatMap(verb => examplesIn(verb).slice(0, 1))
}

type EndingRow = (typeof endings)[number]

/** The subject that makes an ending possible. Every command can end in the other ways. */
const subjectOfEnding: Partial<Record<EndingRow[1], Subject>> = {
  rejected: 'requests',
  auth: 'key',
  'not-found': 'requests',
  unreachable: 'requests',
  service: 'requests',
  partial: 'rows',
  'in-doubt': 'changes'
}

/** The ways in which a command can end. */
export function endingsOf(command: DeclaredCommand): EndingRow[] {
  const subjects = subjectsOf(command)
  return endings.filter(([, name]) => {
    if (name === 'interrupted' && command.notes.isEndedBySignal) return false
    const subject = subjectOfEnding[name]
    return subject === undefined || subjects.includes(subject)
  })
}
