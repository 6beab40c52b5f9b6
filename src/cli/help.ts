import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand, Example } from '../commands/declare.ts'
import { nearest } from '../platform/nearest.ts'
import { endingsOf } from './exit-codes.ts'
import { globalOptionNotes, isForCommand } from './global-options.ts'
import { noBreak, renderPage } from './layout.ts'
import type { Entry, Section } from './section.ts'
import { topics } from './topics/index.ts'
import { childrenOf, commandPath, examplesOf, findCommand, walkTree } from './tree.ts'

/** Replaces commander's page by ours, wherever commander prints one. */
export function styleHelp(command: AnyCommand): void {
  command.configureHelp({
    formatHelp: (shown, { helpWidth = 80 }) => renderPage(commandSections(shown), helpWidth),
  })
}

/** The page for `petstore help WORDS`: a command's, or a topic's. */
export function helpPage(program: AnyCommand, words: readonly string[], width: number): string | undefined {
  const sections = topicNamed(words)?.sections() ?? commandOf(program, words)
  return sections && renderPage(sections, width)
}

/** What `petstore help WORDS` was most likely to be. */
export function nearestPage(program: AnyCommand, words: readonly string[]): string | undefined {
  const paths = walkTree(program)
    .slice(1)
    .map((command) => pathBelow(command))
  const known = [...paths, ...topics.map(({ name }) => name)]
  const shorter = words.slice(0, -1).join(' ')
  return nearest(words.join(' '), known) ?? known.find((name) => name === shorter)
}

/** What a person sees who starts the program and has set nothing up. */
export function firstSteps(width: number): string {
  return renderPage([{ heading: 'Three ways to start', commands: waysToStart }], width)
}

export const waysToStart: readonly Example[] = [
  ['petstore pets list --env local', 'try it: the whole service is inside this program, with sample animals'],
  ['petstore auth login --base-url https://HOST/v1', 'log in: keep the address of a service and your key for it'],
  ['petstore help environment', 'read on: what can be set, and where'],
]

const topicNamed = (words: readonly string[]) =>
  words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined

function commandOf(program: AnyCommand, words: readonly string[]): readonly Section[] | undefined {
  const command = findCommand(program, words)
  return command && commandSections(command)
}

/** Everything that is said of one command; headings without anything below them are left out. */
export function commandSections(command: AnyCommand): readonly Section[] {
  const isRoot = command.parent === null
  const isGroup = command.commands.length > 0
  const sections: readonly Section[] = [
    { paragraphs: [command.description()] },
    { heading: 'Usage', paragraphs: [usageOf(command)] },
    { heading: 'Arguments', entries: command.registeredArguments.map(argumentEntry) },
    { heading: 'Commands', entries: childrenOf(command).map(commandEntry) },
    { heading: 'Options', entries: isRoot ? [] : ownOptions(command).map(optionEntry) },
    { heading: 'Options of every command', entries: isGroup && !isRoot ? [] : sharedOptions(command).map(optionEntry) },
    { heading: 'Examples', commands: examplesOf(command) },
    { heading: 'Exit codes', paragraphs: isGroup ? [] : [exitCodesOf(command)] },
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
  if (command.commands.length > 0) return `${commandPath(command)} <command>`
  return [commandPath(command), ...command.registeredArguments.map(argumentTerm), '[options]'].join(' ')
}

function argumentTerm(argument: AnyCommand['registeredArguments'][number]): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

export const ownOptions = (command: AnyCommand) => command.createHelp().visibleOptions(command)

/** The options of every command that mean something to this one. */
export function sharedOptions(command: AnyCommand): Option[] {
  const program = command.parent === null ? command : rootOf(command)
  const visible = program.createHelp().visibleOptions(program)
  if (command === program) return visible
  return visible.filter((option) => {
    const notes = globalOptionNotes[option.attributeName()]
    return notes !== undefined && isForCommand(notes, command)
  })
}

export function rootOf(command: AnyCommand): AnyCommand {
  return command.parent === null ? command : rootOf(command.parent)
}

/** `pets list`: the words behind the program's name. */
export const pathBelow = (command: AnyCommand) => commandPath(command).split(' ').slice(1).join(' ')

function argumentEntry(argument: AnyCommand['registeredArguments'][number]): Entry {
  const choices = argument.argChoices === undefined ? '' : ` (choices: ${argument.argChoices.join(', ')})`
  return { term: argumentTerm(argument), description: argument.description + choices }
}

function commandEntry(command: AnyCommand): Entry {
  return { term: command.name(), description: command.description() }
}

function optionEntry(option: Option): Entry {
  const { variable, standard = standardOf(option) } = globalOptionNotes[option.attributeName()] ?? {}
  const notes = [
    option.argChoices && `choices: ${option.argChoices.join(', ')}`,
    standard && `default: ${standard}`,
    variable && `variable: ${variable}`,
  ].filter((note) => note)
  // `--no-color` has an attribute in common with `--color`, and nothing else to be said.
  const isBare = option.negate || notes.length === 0
  return { term: option.flags, description: option.description + (isBare ? '' : ` (${notes.join('; ')})`) }
}

/** The default of a command's own option, in words. */
function standardOf({ defaultValue, defaultValueDescription: words }: Option): string | undefined {
  return (
    words ?? (typeof defaultValue === 'string' || typeof defaultValue === 'number' ? String(defaultValue) : undefined)
  )
}

function exitCodesOf(command: AnyCommand): string {
  const codes = endingsOf(command).map(({ code, name }) => `${code}${noBreak}${name}`)
  return `${codes.join(', ')}: petstore help exit-codes says what they mean`
}
