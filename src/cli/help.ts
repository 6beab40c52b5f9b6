import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, DeclaredCommand, type Example } from '../commands/declare.ts'
import { nearest } from '../commands/nearest.ts'
import type { Context } from '../context.ts'
import { endings } from '../failure.ts'
import { type Subject, settingTable } from '../settings/table.ts'
import { noBreak, renderPage } from './layout.ts'
import type { Entry, Section } from './page.ts'
import { actsOn, isForCommand, settingOf } from './shared-options.ts'
import { topics } from './topics/index.ts'
import { childrenOf, commandPath, examplesOf, findCommand, pathBelow, rootOf, walkTree } from './tree.ts'

export function commandPage(command: AnyCommand, width: number): string {
  return renderPage(commandSections(command), width)
}

/** The page for `petstore help WORDS`: a command's, or a topic's. */
export function helpPage(program: AnyCommand, words: readonly string[], width: number): string | undefined {
  const sections = topicNamed(words)?.sections() ?? commandOf(program, words)
  return sections && renderPage(sections, width)
}

/** What `petstore help WORDS` most likely meant. */
export function nearestPage(program: AnyCommand, words: readonly string[]): string | undefined {
  const paths = walkTree(program)
    .slice(1)
    .map((command) => pathBelow(command))
  const known = [...paths, ...topics.map(({ name }) => name)]
  const shorter = words.slice(0, -1).join(' ')
  return nearest(words.join(' '), known) ?? known.find((name) => name === shorter)
}

/** The help of the program; as long as nothing is set up, it begins with the ways to start. */
export async function openingPage(program: AnyCommand, { host, store }: Context): Promise<string> {
  const page = commandPage(program, host.columns())
  const hasVariable = Object.entries(host.env).some(([name, value]) => name.startsWith('PETSTORE_') && value)
  // A config file that cannot be read is a sign of use too.
  const saved = hasVariable ? undefined : await store.read().catch(() => undefined)
  if (saved === undefined || Object.keys(saved).length > 0) return page
  const start = renderPage([{ heading: 'Three ways to start', commands: waysToStart }], host.columns())
  return `${start}\n\n${page}`
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
    const name = settingOf(option)
    return name !== undefined && isForCommand(name, command)
  })
}

function argumentEntry(argument: AnyCommand['registeredArguments'][number]): Entry {
  const choices = argument.argChoices === undefined ? '' : ` (choices: ${argument.argChoices.join(', ')})`
  return { term: argumentTerm(argument), description: argument.description + choices }
}

function commandEntry(command: AnyCommand): Entry {
  return { term: command.name(), description: command.description() }
}

function optionEntry(option: Option): Entry {
  const name = settingOf(option)
  const row = name === undefined || option.long === '--no-color' ? undefined : settingTable[name]
  const variables = row?.variables?.map((variable) => variable.name).join(', ')
  const notes = [
    option.argChoices && `choices: ${option.argChoices.join(', ')}`,
    defaultInWords(option) && `default: ${defaultInWords(option)}`,
    variables && `variable: ${variables}`,
  ].filter((note) => note)
  return { term: option.flags, description: option.description + (notes.length === 0 ? '' : ` (${notes.join('; ')})`) }
}

/** What applies without the option, in words; undefined if that is nothing worth saying. */
export function defaultInWords(option: Option): string | undefined {
  const name = settingOf(option)
  if (name !== undefined && option.required) {
    const { defaultText, default: standard } = settingTable[name]
    const value = defaultText ?? standard?.(anyMachine)
    return value === undefined ? undefined : String(value)
  }
  const { defaultValue, defaultValueDescription: words } = option
  const isPlain = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return words ?? (isPlain ? String(defaultValue) : undefined)
}

/** A default that depends on the machine has a text of its own. */
const anyMachine = { env: {}, terminal: { stdin: false, stdout: false, stderr: false }, home: () => undefined }

/** What a command must act on to end in a certain way; endings without an entry are possible for every command. */
const subjectsOfEnding: Partial<Record<(typeof endings)[number]['name'], readonly Subject[]>> = {
  rejected: ['requests'],
  auth: ['requests', 'key'],
  'not-found': ['requests'],
  unreachable: ['requests'],
  service: ['requests'],
  partial: ['rows'],
  'in-doubt': ['changes'],
}

function exitCodesOf(command: AnyCommand): string {
  const isEndedBySignal = command instanceof DeclaredCommand && command.notes.isEndedBySignal === true
  const codes = endings
    .filter(({ name }) => subjectsOfEnding[name]?.some((subject) => actsOn(command).includes(subject)) ?? true)
    .filter(({ name }) => name !== 'interrupted' || !isEndedBySignal)
    .map(({ code, name }) => `${code}${noBreak}${name}`)
  return `${codes.join(', ')}: petstore help exit-codes says what they mean`
}
