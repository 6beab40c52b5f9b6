import { Help, type Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn } from '../commands/declare.ts'
import { endings } from '../failure.ts'
import { formats } from '../output/formats.ts'
import type { Host } from '../system/host.ts'
import { declaredOptions, sharedOptions } from './shared-options.ts'
import { topicNames } from './topics.ts'
import { childrenOf, commandPath } from './tree.ts'

/** The page of a command, or of a topic, which is its text. */
export function pageOf(command: DeclaredCommand | string, { terminal, columns }: Host): string {
  const width = terminal.stdout ? columns() : 80
  helper.helpWidth = width
  if (typeof command === 'string') return topicPage(command)
  const page = helper.formatHelp(command, helper)
  if (command.parent === null) {
    const topicLine = helper.boxWrap(listOfTopics, width)
    return [waysToStart, '', page, topicLine].join('\n')
  }
  const closing = closingLines(command).map(line => helper.boxWrap(line, width))
  return [page, ...examplesOn(command), '', ...closing].join('\n')
}

/** Where pages differ from those of commander: the shared options have a page of their own. */
const helper = Object.assign(new Help(), {
  minWidthToWrap: 10,
  commandUsage: command => `${commandPath(command as DeclaredCommand)} ${command.usage()}`,
  subcommandTerm: command => {
    return command.aliases().includes('ls') ? 'list, ls' : command.name()
  },
  visibleOptions: command => {
    return command.parent === null ? [] : [...command.options]
  },
  argumentDescription: ({ description, argChoices }) => {
    return description + inBrackets(choicesIn(argChoices))
  },
  optionDescription: aboutOption
} satisfies Partial<Help>)

function aboutOption(option: Option) {
  const { description, argChoices, defaultValue, defaultValueDescription } = option
  const value = defaultValueDescription ?? defaultValue
  const byDefault = value === undefined ? '' : `default: ${value}`
  return description + inBrackets(choicesIn(argChoices), byDefault)
}

function choicesIn(choices: readonly string[] = []) {
  return choices.length === 0 ? '' : `choices: ${choices.join(', ')}`
}

/** ` (choices: a, b; default: a)`. Commander's own text shows values as JSON. */
function inBrackets(...notes: string[]) {
  const known = notes.filter(Boolean)
  return known.length === 0 ? '' : ` (${known.join('; ')})`
}

const waysToStart = `Get started:
  petstore pets list --env local   list the sample pets
  petstore auth login              log in to your service`

const listOfTopics = `petstore help TOPIC: ${topicNames.join(', ')}`

/** For a group, the first example of each verb. */
function examplesOn(command: DeclaredCommand) {
  const ofVerbs = childrenOf(command).flatMap(verb => examplesIn(verb).slice(0, 1))
  const examples = [...examplesIn(command), ...ofVerbs]
  const lines = examples.flatMap(([line, about]) => {
    return [`  # ${about}`, `  ${line}`]
  })
  return ['Examples:', ...lines]
}

/** What needs no line for each item. */
function closingLines(command: DeclaredCommand) {
  const { names = [] } = command.notes.columns ?? {}
  const shared = sharedOptions(command).map(({ long }) => long)
  const options = `Shared options (petstore help options): ${shared.join(', ')}`
  return names.length === 0 ? [options] : [`Fields: ${names.join(', ')}`, options]
}

/** What the program knows, for `{formats}` in a topic: so no page can say something else. */
const tables: Readonly<Record<string, () => [term: string, about: string][]>> = {
  'exit-codes': () => {
    return endings.map(([code, name, about]) => [`${code} ${name}`, about])
  },
  formats: () => {
    return Object.entries(formats).map(([name, { description }]) => [name, description])
  },
  options: () => {
    return declaredOptions.map(option => [option.flags, aboutOption(option)])
  }
}

function topicPage(topic: string) {
  return topic.trimEnd().replace(/^ {2}\{(.*)\}$/m, (_line, name) => {
    const rows = tables[name]?.() ?? []
    const termWidth = Math.max(...rows.map(([term]) => term.length))
    const lines = rows.map(([term, about]) => {
      return helper.formatItem(term, termWidth, about, helper)
    })
    return lines.join('\n')
  })
}
