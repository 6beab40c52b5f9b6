import { type AnyCommand, type Example, notesOf } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { endings, Failure, ignoreFailure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import type { Subject } from '../settings/table.ts'
import { argumentEntry, argumentTerm, optionEntry } from './option-text.ts'
import { type Entry, noBreak, renderPage, type Section } from './page.ts'
import { actsOn, ownOptions, sharedOptions } from './shared-options.ts'
import { topics } from './topics.ts'
import { childrenOf, commandPath, commandsBelow, findCommand, rootOf } from './tree.ts'

/** Prints the page of a command. */
export async function printCommandHelp(
  command: AnyCommand,
  { output, host }: Context,
): Promise<void> {
  await output.text(renderPage(commandSections(command), pageWidth(host)))
}

/** In a pipe, a page does not depend on the terminal at stderr. */
const pageWidth = (host: Host) => (host.terminal.stdout ? host.columns() : 80)

/** Prints the page for `petstore help WORDS`, a command's or a topic's. */
export async function printHelpOn(
  program: AnyCommand,
  words: readonly string[],
  context: Context,
): Promise<void> {
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined
  if (topic !== undefined) return context.output.text(topic.page.trimEnd())
  const command = findCommand(program, words)
  if (command !== undefined) return printCommandHelp(command, context)
  const group = findCommand(program, words.slice(0, -1))
  const commands = group === undefined ? [] : childrenOf(group).map((child) => child.name())
  const known = words.length === 1 ? [...commands, ...topics.map(({ name }) => name)] : commands
  throw new Failure('usage', `no command or topic is named '${words.join(' ')}'`, {
    hint: 'petstore help',
    unknownName: { name: words.at(-1) ?? '', known },
  })
}

/**
 * A group alone prints its help. If nothing is set up, the program alone shows how to start, which
 * fits a screen.
 */
export async function printGroup(command: AnyCommand, context: Context): Promise<void> {
  const isFirstRun = command === rootOf(command) && (await isNothingSetUp(context))
  const commands = { heading: 'Commands', entries: childrenOf(command).map(commandEntry) }
  const agents = { paragraphs: ['agents: petstore help agents'] }
  const start = [{ heading: 'Get started', commands: waysToStart }, commands, agents]
  await context.output.text(
    renderPage(isFirstRun ? start : commandSections(command), pageWidth(context.host)),
  )
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
  const isGroup = commandsBelow(command).length > 0
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
      paragraphs: isGroup ? [] : [exitCodesLine(command)],
    },
    {
      heading: 'Topics',
      entries: isRoot
        ? topics.map(({ name, summary }) => ({ term: `help ${name}`, description: summary }))
        : [],
    },
  ]
  return sections.filter(({ paragraphs, entries, commands }) =>
    [paragraphs, entries, commands].some((part) => part !== undefined && part.length > 0),
  )
}

function usageOf(command: AnyCommand): string {
  if (commandsBelow(command).length > 0) return `${commandPath(command)} <command> [options]`
  return [commandPath(command), ...command.registeredArguments.map(argumentTerm), '[options]'].join(
    ' ',
  )
}

/** For a group, the first example of each verb. */
function examplesOf(command: AnyCommand): readonly Example[] {
  const { examples } = notesOf(command)
  return examples.length > 0
    ? examples
    : childrenOf(command).flatMap((verb) => notesOf(verb).examples.slice(0, 1))
}

const sentence = (summary: string) => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`

function aliasesOf(command: AnyCommand): string[] {
  const { parent } = command
  return parent === null ? [] : command.aliases().map((alias) => `${commandPath(parent)} ${alias}`)
}

/** The commands directly below, under their headings. */
function commandLists(command: AnyCommand): Section[] {
  const children = childrenOf(command)
  const headings = [...new Set(children.map((child) => child.helpGroup() || 'Commands'))]
  return headings.map((heading) => ({
    heading,
    entries: children
      .filter((child) => (child.helpGroup() || 'Commands') === heading)
      .map(commandEntry),
  }))
}

function commandEntry(command: AnyCommand): Entry {
  return { term: command.name(), description: command.description() }
}

/** Without `--help`, which every command has. */
export const declaredOptions = (command: AnyCommand) =>
  ownOptions(command).filter(({ long }) => long !== '--help')

function fieldsLine(command: AnyCommand): string[] {
  const { fields = [] } = notesOf(command)
  return fields.length === 0 ? [] : [fields.join(', ')]
}

function sharedOptionsLine(command: AnyCommand): string {
  const flags = sharedOptions(command).map(({ long }) => long)
  return flags.filter((flag) => flag !== '--no-color').join(', ')
}

/** The subjects that make an ending possible. Every command can end in the other ways. */
const subjectsOfEnding: Partial<Record<(typeof endings)[number]['name'], readonly Subject[]>> = {
  rejected: ['requests'],
  auth: ['requests', 'key'],
  'not-found': ['requests'],
  unreachable: ['requests'],
  service: ['requests'],
  partial: ['rows'],
  'in-doubt': ['changes'],
}

const exitCodesLine = (command: AnyCommand) =>
  endingsOf(command)
    .map(({ code, name }) => `${code}${noBreak}${name}`)
    .join(', ')

/** The ways in which a command can end. */
export function endingsOf(command: AnyCommand) {
  const isEndedBySignal = notesOf(command).isEndedBySignal === true
  return endings
    .filter(
      ({ name }) =>
        subjectsOfEnding[name]?.some((subject) => actsOn(command).includes(subject)) ?? true,
    )
    .filter(({ name }) => name !== 'interrupted' || !isEndedBySignal)
}
