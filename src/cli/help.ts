import { type DeclaredCommand, examplesIn } from '../commands/declare.ts'
import type { Host } from '../system/host.ts'
import { helper } from './page-style.ts'
import { sharedOptions } from './shared-options.ts'
import { topicNames, topicPage, writtenFor } from './topics.ts'
import { childrenOf } from './tree.ts'

/** The page of a command, or of a topic, which is its text. */
export function pageOf(command: DeclaredCommand | string, { terminal, columns }: Host): string {
  const width = terminal.stdout ? columns() : writtenFor
  helper.helpWidth = width
  if (typeof command === 'string') return topicPage(command.trimEnd(), width)
  const page = helper.formatHelp(command, helper)
  if (command.parent === null) {
    const topicLine = helper.boxWrap(listOfTopics, width)
    return [waysToStart, '', page, topicLine].join('\n')
  }
  const wrapped = closingLines(command).map(line => helper.boxWrap(line, width))
  return [page, ...examplesOn(command), '', ...wrapped].join('\n')
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
