import type { DeclaredCommand } from '../commands/declare.ts'
import { endings, Failure } from '../failure.ts'
import { formatNames, formats } from '../output/formats.ts'
import { documentedVariables } from '../settings/table.ts'
import { createHelper, pageOf } from './help.ts'
import { topicNames, topics } from './topics.ts'
import { childrenOf, findCommand, namesOf } from './tree.ts'

/** The page of a topic or a command; a usage error if there is none. */
export function pageNamed(
  program: DeclaredCommand,
  words: readonly string[],
  width?: number
): string {
  const topic = topics.get(words.join(' '))
  if (topic === undefined) return pageOf(commandNamed(program, words), width)
  return topic.trimEnd().replace(/^\{(.+)\}$/gm, (_, name) => {
    const rows = tables[name]?.(program) ?? []
    return tableText(rows)
  })
}

/** The command that the words name; otherwise a usage error. */
export function commandNamed(program: DeclaredCommand, words: readonly string[]): DeclaredCommand {
  const command = findCommand(program, words)
  if (command !== undefined) return command
  const group = findCommand(program, words.slice(0, -1)) ?? program
  const verbs = childrenOf(group).flatMap(namesOf)
  const name = words.at(-1) ?? ''
  const unknownName = { name, known: [...verbs, ...topicNames] }
  throw new Failure('usage', `nothing is named '${words.join(' ')}'`, { unknownName })
}

type Rows = (readonly [term: string, about: string])[]

/** The tables of the program that topics contain. */
const tables: Readonly<Record<string, (program: DeclaredCommand) => Rows>> = {
  options: program => {
    const { optionDescription } = createHelper()
    return program.options.map(each => [each.flags, optionDescription(each)])
  },
  variables: () => {
    return documentedVariables().map(({ name, about }) => [name, about])
  },
  'exit codes': () => {
    return endings.map(([code, name, meaning]) => [`${code} ${name}`, meaning])
  },
  formats: () => {
    return formatNames.map(name => [name, formats[name].description])
  }
}

function tableText(rows: Rows): string {
  const helper = createHelper()
  const width = Math.max(...rows.map(([term]) => term.length))
  const lines = rows.map(([term, about]) => {
    return helper.formatItem(term, width, about, helper)
  })
  return lines.join('\n')
}
