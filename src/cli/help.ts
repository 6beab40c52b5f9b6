import { Help, type Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, examplesIn } from '../commands/declare.ts'
import type { Host } from '../platform/host.ts'
import { endingsOf, sharedOptions } from './subjects.ts'
import { topicNames } from './topics.ts'
import { childrenOf, commandPath, lineageOf } from './tree.ts'

/** The widest page in a terminal; one in a pipe has 80 columns. */
const widest = 100

/** The page of a command, at the width of the terminal. */
export function pageOf(command: DeclaredCommand, { terminal, columns }: Host): string {
  const helper = createHelper(terminal.stdout ? Math.min(columns(), widest) : undefined)
  const page = helper.formatHelp(command, helper)
  if (command.parent === null) return `${waysToStart}\n\n${page}\n${topicsLine}`
  return `${page}\n${moreAbout(command, helper)}`
}

export function createHelper(helpWidth = 80): Help {
  const helper = Object.assign(new Help(), pageStyle)
  helper.prepareContext({ helpWidth })
  return helper
}

/** Where pages differ from those of commander. The shared options have a page of their own. */
const pageStyle: Partial<Help> = {
  commandUsage: command => `${commandPath(command as DeclaredCommand)} ${command.usage()}`,
  subcommandTerm: command => (command.aliases().includes('ls') ? 'list, ls' : command.name()),
  visibleOptions: command => (command.parent === null ? [] : [...command.options]),
  optionDescription: describeOption
}

/** Commander's own text shows choices as JSON, and hides a default that settings apply. */
function describeOption(option: Option): string {
  const { description, argChoices, defaultValueDescription } = option
  const choices = argChoices && `choices: ${argChoices.join(', ')}`
  const standard = defaultValueDescription && `default: ${defaultValueDescription}`
  const limits = [choices, standard].filter(text => text !== undefined)
  return limits.length === 0 ? description : `${description} (${limits.join('; ')})`
}

const waysToStart = `Get started:
  petstore pets list --env local   list the sample pets of the local service
  petstore auth login              log in to your service`

const topicsLine = `petstore help TOPIC: ${topicNames.join(', ')}`

/** Examples, and what does not need a line of its own. */
function moreAbout(command: DeclaredCommand, helper: Help): string {
  const [program] = lineageOf(command)
  const { fields = [] } = command.notes
  const shared = sharedOptions(command, program).map(({ long }) => long)
  const codes = endingsOf(command).map(([code]) => code)
  const examples = examplesOn(command).flatMap(([line, about]) => [`  # ${about}`, `  ${line}`])
  const lines = [
    ...(fields.length > 0 ? [`Fields: ${fields.join(', ')}`] : []),
    `Shared options (petstore help options): ${shared.join(', ')}`,
    ...(command.run ? [`Exit codes (petstore help exit-codes): ${codes.join(', ')}`] : [])
  ]
  const wrapped = lines.map(line => helper.boxWrap(line, helper.helpWidth ?? widest))
  return ['Examples:', ...examples, '', ...wrapped].join('\n')
}

const mostExamples = 4

/** For a group, the first example of each verb. */
function examplesOn(command: DeclaredCommand) {
  const own = examplesIn(command)
  if (own.length > 0) return own.slice(0, mostExamples)
  return childrenOf(command).flatMap(verb => examplesIn(verb).slice(0, 1))
}
