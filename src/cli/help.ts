import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, type Example, examplesIn } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { endings, Failure, ignoreFailure } from '../failure.ts'
import type { Subject } from '../settings/table.ts'
import { type Entry, noBreak, renderPage, type Section } from './page.ts'
import { actsOn, fieldsOf, sharedOptions } from './shared-options.ts'
import { helpTopics } from './topics.ts'
import { childrenOf, commandPath, findCommand, isGroup } from './tree.ts'

/** Prints the page of a command. */
export const printCommandHelp = (command: AnyCommand, context: Context) =>
  printPage(commandSections(command), context)

/** In a pipe, a page does not depend on the terminal at stderr. */
async function printPage(sections: readonly Section[], { host, output }: Context): Promise<void> {
  const width = host.terminal.stdout ? host.columns() : 80
  await output.text(renderPage(sections, width))
}

/** Prints the page for `petstore help WORDS`, a command's or a topic's. */
export async function printHelpOn(
  program: AnyCommand,
  words: readonly string[],
  context: Context
): Promise<void> {
  const phrase = words.join(' ')
  const topic = helpTopics().find(({ name }) => name === phrase)
  if (topic !== undefined) return context.output.text(topic.page.trimEnd())
  const command = findCommand(program, words)
  if (command !== undefined) return printCommandHelp(command, context)
  const unknownName = {
    name: words.at(-1) ?? '',
    known: knownNames(program, words)
  }
  throw new Failure('usage', `no command or topic is named '${phrase}'`, {
    hint: 'petstore help',
    unknownName
  })
}

/** What can stand in the place of the last word. */
function knownNames(program: AnyCommand, words: readonly string[]): string[] {
  const group = findCommand(program, words.slice(0, -1))
  const children = group === undefined ? [] : childrenOf(group)
  const names = children.map(child => child.name())
  if (words.length === 1) names.push(...helpTopics().map(topic => topic.name))
  return names
}

/**
 * A group alone prints its help. If nothing is set up, the program alone shows how to start, which
 * fits a screen.
 */
export async function printGroup(command: AnyCommand, context: Context): Promise<void> {
  const isFirstRun = command.parent === null && (await isNothingSetUp(context))
  await printPage(isFirstRun ? startSections(command) : commandSections(command), context)
}

function startSections(program: AnyCommand): readonly Section[] {
  return [
    { heading: 'Get started', commands: waysToStart },
    { heading: 'Commands', entries: childrenOf(program).map(commandEntry) },
    { text: 'agents: petstore help agents' }
  ]
}

async function isNothingSetUp({ host, store }: Context): Promise<boolean> {
  const hasVariable = Object.entries(host.env).some(([name, value]) => {
    // Another place for the files sets nothing up.
    return value && /^PETSTORE_(?!CONFIG_DIR$)/.test(name)
  })
  // An unreadable config file means that something was set up.
  const saved = hasVariable ? undefined : await store.read().catch(ignoreFailure)
  return saved !== undefined && Object.keys(saved).length === 0
}

export const waysToStart: readonly Example[] = [
  ['petstore pets list --env local', 'try petstore with sample pets'],
  ['petstore auth login --base-url https://HOST/v1', 'log in to a service'],
  ['petstore help', 'show all options and topics']
]

/** The help page of a command. */
function commandSections(command: AnyCommand): Section[] {
  const isRoot = command.parent === null
  const listed = isRoot ? helpTopics() : []
  const { details = [] } = command.notes
  const flags = sharedOptions(command).map(({ long }) => long)
  const exitCodes = endingsOf(command).map(([code, name]) => `${code}${noBreak}${name}`)
  return [
    { text: sentence(command.description()) },
    ...details.map(text => ({ text })),
    { heading: 'Usage', text: usageOf(command) },
    { heading: 'Arguments', entries: command.registeredArguments.map(argumentEntry) },
    ...commandLists(command),
    { heading: 'Options', entries: isRoot ? [] : command.options.map(optionEntry) },
    { heading: 'Fields (petstore help formats)', text: fieldsOf(command).join(', ') },
    { heading: 'Examples', commands: examplesOf(command) },
    {
      heading: 'Shared options (petstore help options)',
      text: flags.filter(flag => flag !== '--no-color').join(', ')
    },
    {
      heading: 'Exit codes (petstore help exit-codes)',
      text: isGroup(command) ? '' : exitCodes.join(', ')
    },
    { heading: 'Topics', entries: listed.map(({ name, summary }) => [`help ${name}`, summary]) }
  ]
}

/** `petstore pets list|ls [options]` */
function usageOf(command: AnyCommand): string {
  const names = [commandPath(command), ...command.aliases()]
  return `${names.join('|')} ${command.usage()}`
}

/** For a group, the first example of each verb. */
function examplesOf(command: AnyCommand): readonly Example[] {
  const examples = examplesIn(command)
  if (examples.length > 0) return examples
  const verbs = childrenOf(command).filter(verb => verb.notes.deprecated === undefined)
  return verbs.flatMap(verb => examplesIn(verb).slice(0, 1))
}

function sentence(summary: string): string {
  const first = summary.charAt(0).toUpperCase()
  return `${first}${summary.slice(1)}.`
}

/** The commands directly below, under their headings. */
function commandLists(command: AnyCommand): Section[] {
  const children = childrenOf(command)
  const headings = new Set(children.map(child => child.helpGroup()))
  return [...headings].map(heading => {
    const group = children.filter(child => child.helpGroup() === heading)
    return { heading, entries: group.map(commandEntry) }
  })
}

function commandEntry(command: AnyCommand): Entry {
  return [command.name(), command.description()]
}

function argumentEntry(argument: AnyCommand['registeredArguments'][number]): Entry {
  return [argument.name(), described(argument)]
}

export function optionEntry(option: Option): Entry {
  const { flags, envVar, defaultValueDescription } = option
  const standard = defaultValueDescription ?? plainDefault(option)
  const variables = envVar?.includes(',') ? 'variables' : 'variable'
  const more = [
    standard === undefined ? undefined : `default: ${standard}`,
    envVar && `${variables}: ${envVar}`
  ]
  return [flags, described(option, more)]
}

function described(
  { description, argChoices }: Pick<Option, 'description' | 'argChoices'>,
  more: readonly (string | undefined)[] = []
): string {
  const choices = argChoices && `choices: ${argChoices.join(', ')}`
  const notes = [choices, ...more].filter(note => note !== undefined)
  if (notes.length === 0) return description
  // A description can end with notes of its own.
  return `${description} (${notes.join('; ')})`.replace(') (', '; ')
}

/** The default, if it is a value that can be shown. */
export function plainDefault({ defaultValue }: Option): string | number | undefined {
  const isPlain = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return isPlain ? defaultValue : undefined
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
export function endingsOf(command: AnyCommand): EndingRow[] {
  const subjects = actsOn(command)
  const isEndedBySignal = command.notes.isEndedBySignal === true
  return endings.filter(([, name]) => {
    if (name === 'interrupted' && isEndedBySignal) return false
    const subject = subjectOfEnding[name]
    return subject === undefined || subjects.includes(subject)
  })
}
