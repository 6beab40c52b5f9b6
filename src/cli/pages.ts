import type { DeclaredCommand } from '../commands/declare.ts'
import { endings, Failure } from '../failure.ts'
import { formatNames, formats } from '../output/formats.ts'
import type { Host } from '../platform/host.ts'
import { documentedVariables } from '../settings/table.ts'
import { createHelper, pageOf } from './help.ts'
import { topicNames, topics } from './topics.ts'
import { childrenOf, findCommand, namesOf } from './tree.ts'

type Table = readonly (readonly [term: string, about: string])[]

const tables: Readonly<Record<string, (program: DeclaredCommand) => Table>> = {
  options: program => {
    const helper = createHelper()
    return program.options.map(each => [each.flags, helper.optionDescription(each)])
  },
  variables: () => documentedVariables().map(({ name, about }) => [name, about]),
  'exit codes': () => endings.map(([code, name, meaning]) => [`${code} ${name}`, meaning]),
  formats: () => formatNames.map(name => [name, formats[name].description])
}

/** The page of a topic or a command. */
export function pageNamed(program: DeclaredCommand, words: readonly string[], host: Host): string {
  const topic = topics[words.join(' ')]
  if (topic === undefined) return pageOf(commandNamed(program, words), host)
  return topic.trimEnd().replace(/^\{(.+)\}$/gm, (_, table) => {
    return tableText(tables[table]?.(program) ?? [])
  })
}

function tableText(rows: Table): string {
  const helper = createHelper()
  const width = Math.max(...rows.map(([term]) => term.length))
  const lines = rows.map(([term, about]) => helper.formatItem(term, width, about, helper))
  return lines.join('\n')
}

/** Throws a usage error if there is no page. */
export function requirePage(program: DeclaredCommand, words: readonly string[]): void {
  if (!topicNames.includes(words.join(' '))) commandNamed(program, words, topicNames)
}

/** The command that the words name; otherwise a usage error, which knows the topics too. */
export function commandNamed(
  program: DeclaredCommand,
  words: readonly string[],
  topics: readonly string[] = []
): DeclaredCommand {
  const command = findCommand(program, words)
  if (command !== undefined) return command
  const group = findCommand(program, words.slice(0, -1)) ?? program
  const known = [...childrenOf(group).flatMap(namesOf), ...topics]
  const unknownName = { name: words.at(-1) ?? '', known }
  throw new Failure('usage', `nothing is named '${words.join(' ')}'`, { unknownName })
}
