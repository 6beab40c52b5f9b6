import { type AnyCommand, type Example, examplesIn, notesOf } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { endings, Failure, ignoreFailure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import type { Subject } from '../settings/table.ts'
import { argumentEntry, argumentTerm, optionEntry } from './option-text.ts'
import { type Entry, noBreak, renderPage, type Section } from './page.ts'
import { actsOn, fieldsOf, ownOptions, sharedOptions } from './shared-options.ts'
import { type Topic, topics } from './topics.ts'
import { childrenOf, commandPath, findCommand, isGroup } from './tree.ts'

/** Prints the page of a command. */
export async function printCommandHelp(
  command: AnyCommand,
  { output, host }: Context,
): Promise<void> {
  const sections = commandSections(command)
  await output.text(renderPage(sections, pageWidth(host)))
}

/** In a pipe, a page does not depend on the terminal at stderr. */
function pageWidth(host: Host): number {
  return host.terminal.stdout ? host.columns() : 80
}

/** Prints the page for `petstore help WORDS`, a command's or a topic's. */
export async function printHelpOn(
  program: AnyCommand,
  words: readonly string[],
  context: Context,
): Promise<void> {
  const phrase = words.join(' ')
  const topic = topics.find(({ name }) => name === phrase)
  if (topic !== undefined) return context.output.text(topic.page.trimEnd())
  const command = findCommand(program, words)
  if (command !== undefined) return printCommandHelp(command, context)
  const unknownName = {
    name: words.at(-1) ?? '',
    known: knownNames(program, words),
  }
  throw new Failure('usage', `no command or topic is named '${phrase}'`, {
    hint: 'petstore help',
    unknownName,
  })
}

/** What can stand in the place of the last word. */
function knownNames(program: AnyCommand, words: readonly string[]): string[] {
  const group = findCommand(program, words.slice(0, -1))
  const children = group === undefined ? [] : childrenOf(group)
  const commands = children.map((child) => child.name())
  if (words.length > 1) return commands
  const topicNames = topics.map(({ name }) => name)
  return [...commands, ...topicNames]
}

/**
 * A group alone prints its help. If nothing is set up, the program alone shows how to start, which
 * fits a screen.
 */
export async function printGroup(command: AnyCommand, context: Context): Promise<void> {
  const isRoot = command.parent === null
  const isFirstRun = isRoot && (await isNothingSetUp(context))
  const sections = isFirstRun ? startSections(command) : commandSections(command)
  await context.output.text(renderPage(sections, pageWidth(context.host)))
}

function startSections(program: AnyCommand): readonly Section[] {
  return [
    { heading: 'Get started', commands: waysToStart },
    { heading: 'Commands', entries: childrenOf(program).map(commandEntry) },
    { paragraphs: ['agents: petstore help agents'] },
  ]
}

async function isNothingSetUp({ host, store }: Context): Promise<boolean> {
  // Another place for the files sets nothing up.
  const { PETSTORE_CONFIG_DIR: _, ...env } = host.env
  const hasVariable = Object.entries(env).some(
    ([name, value]) => name.startsWith('PETSTORE_') && value,
  )
  // An unreadable config file means that something was set up.
  const saved = hasVariable ? undefined : await store.read().catch(ignoreFailure)
  return saved !== undefined && Object.keys(saved).length === 0
}

export const waysToStart: readonly Example[] = [
  ['petstore pets list --env local', 'try petstore with sample pets'],
  ['petstore auth login --base-url https://HOST/v1', 'log in to a service'],
  ['petstore help', 'show all options and topics'],
]

/** The help page of a command. Sections without content are left out. */
function commandSections(command: AnyCommand): readonly Section[] {
  const isRoot = command.parent === null
  const sections: readonly Section[] = [
    { paragraphs: [sentence(command.description()), ...(notesOf(command).details ?? [])] },
    { heading: 'Usage', paragraphs: [usageOf(command)] },
    { heading: 'Alias', paragraphs: aliasesOf(command) },
    { heading: 'Arguments', entries: command.registeredArguments.map(argumentEntry) },
    ...commandLists(command),
    { heading: 'Options', entries: isRoot ? [] : declaredOptions(command).map(optionEntry) },
    { heading: 'Fields', seeAlso: 'petstore help formats', paragraphs: fieldsLine(command) },
    { heading: 'Examples', commands: examplesOf(command) },
    {
      heading: 'Shared options',
      seeAlso: 'petstore help options',
      paragraphs: [sharedOptionsLine(command)],
    },
    {
      heading: 'Exit codes',
      seeAlso: 'petstore help exit-codes',
      paragraphs: isGroup(command) ? [] : [exitCodesLine(command)],
    },
    { heading: 'Topics', entries: isRoot ? topics.map(topicEntry) : [] },
  ]
  return sections.filter(({ paragraphs = [], entries = [], commands = [] }) => {
    const parts = [...paragraphs, ...entries, ...commands]
    return parts.length > 0
  })
}

function topicEntry({ name, summary }: Topic): Entry {
  return { term: `help ${name}`, description: summary }
}

function usageOf(command: AnyCommand): string {
  const path = commandPath(command)
  if (isGroup(command)) return `${path} <command> [options]`
  const terms = command.registeredArguments.map(argumentTerm)
  return [path, ...terms, '[options]'].join(' ')
}

/** For a group, the first example of each verb. */
function examplesOf(command: AnyCommand): readonly Example[] {
  const examples = examplesIn(command)
  if (examples.length > 0) return examples
  const verbs = childrenOf(command).filter((verb) => notesOf(verb).deprecated === undefined)
  return verbs.flatMap((verb) => examplesIn(verb).slice(0, 1))
}

function sentence(summary: string): string {
  const first = summary.charAt(0).toUpperCase()
  return `${first}${summary.slice(1)}.`
}

function aliasesOf(command: AnyCommand): string[] {
  const { parent } = command
  if (parent === null) return []
  const path = commandPath(parent)
  return command.aliases().map((alias) => `${path} ${alias}`)
}

/** The commands directly below, under their headings. */
function commandLists(command: AnyCommand): Section[] {
  const entriesByHeading = new Map<string, Entry[]>()
  for (const child of childrenOf(command)) {
    const heading = child.helpGroup() || 'Commands'
    const entries = entriesByHeading.get(heading) ?? []
    entries.push(commandEntry(child))
    entriesByHeading.set(heading, entries)
  }
  return [...entriesByHeading].map(([heading, entries]) => ({ heading, entries }))
}

function commandEntry(command: AnyCommand): Entry {
  return { term: command.name(), description: command.description() }
}

/** Without `--help`, which every command has. */
export const declaredOptions = (command: AnyCommand) =>
  ownOptions(command).filter(({ long }) => long !== '--help')

function fieldsLine(command: AnyCommand): string[] {
  const fields = fieldsOf(command)
  return fields.length === 0 ? [] : [fields.join(', ')]
}

function sharedOptionsLine(command: AnyCommand): string {
  const flags = sharedOptions(command).map(({ long }) => long)
  return flags.filter((flag) => flag !== '--no-color').join(', ')
}

type Ending = (typeof endings)[number]

/** The subjects that make an ending possible. Every command can end in the other ways. */
const subjectsOfEnding: Partial<Record<Ending['name'], readonly Subject[]>> = {
  rejected: ['requests'],
  auth: ['requests', 'key'],
  'not-found': ['requests'],
  unreachable: ['requests'],
  service: ['requests'],
  partial: ['rows'],
  'in-doubt': ['changes'],
}

function exitCodesLine(command: AnyCommand): string {
  const texts = endingsOf(command).map(({ code, name }) => `${code}${noBreak}${name}`)
  return texts.join(', ')
}

/** The ways in which a command can end. */
export function endingsOf(command: AnyCommand): Ending[] {
  const subjects = actsOn(command)
  const isEndedBySignal = notesOf(command).isEndedBySignal === true
  return endings.filter(({ name }) => {
    if (name === 'interrupted' && isEndedBySignal) return false
    const possibleFor = subjectsOfEnding[name]
    return possibleFor?.some((subject) => subjects.includes(subject)) ?? true
  })
}
