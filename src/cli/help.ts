import type { AnyCommand, Example } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import type { Host } from '../platform/host.ts'
import { commandSections } from './command-page.ts'
import { renderMarkdown } from './markdown.ts'
import { renderPage, type Topic } from './page.ts'
import { topics } from './topics.ts'
import { findCommand, rootOf } from './tree.ts'

/** Prints the page of a command. */
export async function printCommandHelp(command: AnyCommand, { output, host }: Context): Promise<void> {
  await output.page(renderPage(commandSections(command), widthOf(host)))
}

/** In a pipe a page is the same whatever terminal is behind stderr. */
const widthOf = (host: Host) => (host.terminal.stdout ? host.columns() : 80)

/** Prints the page for `petstore help WORDS`, a command's or a topic's; false if there is none. */
export async function printHelpOn(program: AnyCommand, words: readonly string[], context: Context): Promise<boolean> {
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined
  const command = findCommand(program, words)
  if (topic !== undefined) await printTopic(topic, program, context)
  else if (command !== undefined) await printCommandHelp(command, context)
  return topic !== undefined || command !== undefined
}

async function printTopic({ sections, frontMatter }: Topic, program: AnyCommand, { output, host }: Context) {
  const width = widthOf(host)
  if (frontMatter === undefined) return output.page(renderPage(sections(program), width))
  await output.text(renderMarkdown(program.name(), frontMatter, sections(program), width))
}

/** A group alone prints its help; the program alone first says how to start if nothing is set up. */
export async function printGroup(command: AnyCommand, context: Context): Promise<void> {
  const isFirstRun = command === rootOf(command) && (await isNothingSetUp(context))
  const start = isFirstRun ? [{ heading: 'Get started', commands: waysToStart }] : []
  const sections = [...start, ...commandSections(command)]
  await context.output.page(renderPage(sections, widthOf(context.host)))
}

async function isNothingSetUp({ host, store }: Context): Promise<boolean> {
  const hasVariable = Object.entries(host.env).some(([name, value]) => name.startsWith('PETSTORE_') && value)
  // A config file that cannot be read counts as a setup.
  const saved = hasVariable ? undefined : await store.read().catch(() => undefined)
  return saved !== undefined && Object.keys(saved).length === 0
}

export const waysToStart: readonly Example[] = [
  ['petstore pets list --env local', 'try it with sample pets'],
  ['petstore auth login --base-url https://HOST/v1', 'log in to a service'],
  ['petstore help environment', 'read about environments, URLs and API keys'],
]
