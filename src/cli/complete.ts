import type { Argument, Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { readLine } from './read-line.ts'
import { optionsOf } from './shared-options.ts'
import { topicNames } from './topics.ts'
import { childrenOf } from './tree.ts'

/** Asks the shell to complete the name of a file. */
const files = ':files'

/** The completions of the last word, one per line: the candidate, a tab and its description. */
export function completionLines(
  program: DeclaredCommand,
  words: readonly string[],
  environments: readonly string[]
) {
  // Shells split `--env=lo` differently: only `lo` is completed.
  const finished = words.flatMap(word => {
    return word.startsWith('--') ? word.split('=') : word
  })
  const current = finished.pop() ?? ''
  // Behind `help` and `commands`, the same words follow as without them.
  const [first = ''] = finished
  const isAbout = ['help', 'commands'].includes(first)
  const { command } = readLine(program, isAbout ? finished.slice(1) : finished)
  const topics = first === 'help' && command === program ? topicNames : []
  const options = optionsOf(command)
  const last = finished.at(-1) ?? ''
  const unfinished = options.find(({ short, long, required }) => {
    return required && [short, long].includes(last)
  })
  const candidates = () => {
    if (unfinished !== undefined) return valuesOf(unfinished, environments)
    if (current.startsWith('-')) return options.map(described)
    const names = childrenOf(command).map(child => `${child.name()}\t${child.summary()}`)
    if (names.length > 0 && command.args.length === 0) return [...names, ...topics]
    const argument = command.registeredArguments[command.args.length]
    return argument ? valuesOf(argument, environments) : options.map(described)
  }
  return candidates().filter(candidate => {
    return candidate === files || candidate.startsWith(current)
  })
}

const described = ({ long, description }: Option) => `${long}\t${description}`

/** An option names its value in its flags, such as `--env <environment>`. */
function valuesOf(declared: Option | Argument, environments: readonly string[]) {
  const { argChoices } = declared
  if (argChoices !== undefined) return argChoices
  const name = 'flags' in declared ? declared.flags : declared.name()
  if (name.includes('file')) return [files]
  return name.includes('environment') ? environments : []
}
