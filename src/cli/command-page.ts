import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { endings } from '../failure.ts'
import type { Subject } from '../settings/table.ts'
import { argumentEntry, argumentTerm, optionEntry } from './option-text.ts'
import { type Entry, noBreak, type Section } from './page.ts'
import { actsOn, ownOptions, sharedOptions } from './shared-options.ts'
import { topics } from './topics.ts'
import { childrenOf, commandPath } from './tree.ts'

/** The help page of a command. Sections without content are left out. */
export function commandSections(command: AnyCommand): readonly Section[] {
  const isRoot = command.parent === null
  const isGroup = command.commands.length > 0
  const sections: readonly Section[] = [
    { paragraphs: [sentence(command.description()), ...(notesOf(command).details ?? [])] },
    { heading: 'Usage', paragraphs: [usageOf(command)] },
    { heading: 'Alias', paragraphs: aliasesOf(command) },
    { heading: 'Arguments', entries: command.registeredArguments.map(argumentEntry) },
    ...commandLists(command),
    { heading: 'Options', entries: isRoot ? [] : declaredOptions(command).map(optionEntry) },
    { heading: 'Examples', commands: notesOf(command).examples },
    { heading: 'Shared options', seeAlso: 'petstore help options', paragraphs: [sharedOptionsLine(command)] },
    {
      heading: 'Exit codes',
      seeAlso: 'petstore help exit-codes',
      paragraphs: isGroup ? [] : [exitCodesLine(command)],
    },
    {
      heading: 'Topics',
      entries: isRoot ? topics.map(({ name, summary }) => ({ term: `help ${name}`, description: summary })) : [],
    },
  ]
  return sections.filter(({ paragraphs, entries, commands }) =>
    [paragraphs, entries, commands].some((part) => part !== undefined && part.length > 0),
  )
}

export function usageOf(command: AnyCommand): string {
  if (command.commands.length > 0) return `${commandPath(command)} <command> [options]`
  return [commandPath(command), ...command.registeredArguments.map(argumentTerm), '[options]'].join(' ')
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
    entries: children.filter((child) => (child.helpGroup() || 'Commands') === heading).map(commandEntry),
  }))
}

function commandEntry(command: AnyCommand): Entry {
  return { term: command.name(), description: command.description() }
}

/** Without `--help`, which every command has. */
const declaredOptions = (command: AnyCommand) => ownOptions(command).filter(({ long }) => long !== '--help')

function sharedOptionsLine(command: AnyCommand): string {
  const flags = sharedOptions(command).map(({ long }) => long)
  return flags.filter((flag) => flag !== '--no-color').join(', ')
}

/** What a command must act on to end in a certain way. Every command can end in the other ways. */
const subjectsOfEnding: Partial<Record<(typeof endings)[number]['name'], readonly Subject[]>> = {
  rejected: ['requests'],
  auth: ['requests', 'key'],
  'not-found': ['requests'],
  unreachable: ['requests'],
  service: ['requests'],
  partial: ['rows'],
  'in-doubt': ['changes'],
}

function exitCodesLine(command: AnyCommand): string {
  const isEndedBySignal = notesOf(command).isEndedBySignal === true
  const codes = endings
    .filter(({ name }) => subjectsOfEnding[name]?.some((subject) => actsOn(command).includes(subject)) ?? true)
    .filter(({ name }) => name !== 'interrupted' || !isEndedBySignal)
    .map(({ code, name }) => `${code}${noBreak}${name}`)
  return codes.join(', ')
}
