import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { pageOf, topicPage } from './help.ts'
import { topicNames, topics } from './topics.ts'
import { childrenOf, findCommand, namesOf } from './tree.ts'

/** The page of a topic or a command; a usage error if there is none. */
export function pageNamed(
  program: DeclaredCommand,
  words: readonly string[],
  width?: number
): string {
  const topic = topics.get(words.join(' '))
  if (topic !== undefined) return topicPage(topic.trimEnd(), width)
  return pageOf(commandNamed(program, words), width)
}

/** The command that the words name; otherwise a usage error. */
export function commandNamed(program: DeclaredCommand, words: readonly string[]): DeclaredCommand {
  const command = findCommand(program, words)
  if (command !== undefined) return command
  const group = findCommand(program, words.slice(0, -1)) ?? program
  const verbs = childrenOf(group).flatMap(namesOf)
  const name = words.at(-1) ?? ''
  const unknownName = { name, known: [...verbs, ...topicNames] }
  throw new Failure('usage', `nothing is named '${words.join(' ')}'`, {
    hint: 'petstore help',
    unknownName
  })
}
