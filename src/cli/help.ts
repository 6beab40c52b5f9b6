import { type Argument, Help, type Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn } from '../commands/declare.ts'
import type { Host } from '../system/host.ts'
import { sharedOptions } from './shared-options.ts'
import { topicNames } from './topics.ts'
import { childrenOf, commandPath } from './tree.ts'

const usualWidth = 80

/** The page of a command, or of a topic, which is its text. */
export function pageOf(command: DeclaredCommand | string, { terminal, columns }: Host): string {
  const width = terminal.stdout ? columns() : usualWidth
  if (typeof command === 'string') return topicPage(command.trimEnd(), width)
  helper.prepareContext({ helpWidth: width })
  const page = helper.formatHelp(command, helper)
  if (command.parent === null) {
    return `${waysToStart}\n\n${page}\n${helper.boxWrap(listOfTopics, width)}`
  }
  const wrapped = closingLines(command).map(line => helper.boxWrap(line, width))
  return [page, ...examplesOn(command), '', ...wrapped].join('\n')
}

/** Topics are written for 80 columns. What is to be copied stays: examples, and the skill. */
function topicPage(topic: string, width: number) {
  const [text = '', examples] = topic.split(/(?=\nExamples:)/)
  if (width >= usualWidth || examples === undefined) return topic
  const unbroken = text.replace(/(?<=\S)\n(?: {4,}|(?=\S))/g, ' ')
  return helper.boxWrap(unbroken, width) + examples
}

const waysToStart = `Get started:
  petstore pets list --env local   list the sample pets
  petstore auth login              log in to your service`

const listOfTopics = `petstore help TOPIC: ${topicNames.join(', ')}`

/** Where pages differ from those of commander: the shared options have a page of their own. */
const pageStyle: Partial<Help> = {
  minWidthToWrap: 10,
  commandUsage: command => `${commandPath(command as DeclaredCommand)} ${command.usage()}`,
  subcommandTerm: command => {
    return command.aliases().includes('ls') ? 'list, ls' : command.name()
  },
  visibleOptions: command => {
    return command.parent === null ? [] : [...command.options]
  },
  argumentDescription: describeValue,
  optionDescription: describeValue
}

const helper = Object.assign(new Help(), pageStyle)

/** Commander's own text shows choices as JSON. */
function describeValue({ description, argChoices }: Option | Argument) {
  if (argChoices === undefined) return description
  return `${description} (choices: ${argChoices.join(', ')})`
}

/** For a group, the first example of each verb. */
function examplesOn(command: DeclaredCommand) {
  const ofVerbs = childrenOf(command).flatMap(verb => examplesIn(verb).slice(0, 1))
  const shown = [...examplesIn(command), ...ofVerbs]
  const lines = shown.flatMap(([line, about]) => [`  # ${about}`, `  ${line}`])
  return ['Examples:', ...lines]
}

/** What needs no line for each item. */
function closingLines(command: DeclaredCommand) {
  const { names = [] } = command.notes.columns ?? {}
  const shared = sharedOptions(command).map(({ long }) => long)
  const options = `Shared options (petstore help options): ${shared.join(', ')}`
  return names.length === 0 ? [options] : [`Fields: ${names.join(', ')}`, options]
}
