import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { nearest } from '../platform/nearest.ts'
import { commandSections, pathBelow } from './help.ts'
import { renderPage } from './layout.ts'
import { childrenOf, commandPath, leavesOf } from './tree.ts'

interface Request {
  /** The command that the words lead to, as far as they lead. */
  readonly command: AnyCommand
  readonly wantsHelp: boolean
  /** A word that is no command where only a command can stand. */
  readonly stray: string | undefined
}

/**
 * What a command line is about, told without parsing it: it may be half-finished or wrong when help on it is asked for,
 * and commander stops at the first mistake.
 */
export function readRequest(program: AnyCommand, argv: readonly string[]): Request {
  let command = program
  let wantsHelp = false
  let stray: string | undefined
  let isLiteral = false
  const rest = argv.values()
  for (const word of rest) {
    if (!isLiteral && word === '--') isLiteral = true
    else if (!isLiteral && word.startsWith('-') && word !== '-') {
      const { isHelp, takesNext } = readOption(command, word)
      wantsHelp ||= isHelp
      if (takesNext) rest.next()
    } else if (command.commands.length > 0 && stray === undefined) {
      const child = childrenOf(command).find((candidate) => candidate.name() === word)
      if (child === undefined) stray = word
      else command = child
    }
  }
  return { command, wantsHelp, stray }
}

export const wantsHelp = (program: AnyCommand, argv: readonly string[]) => readRequest(program, argv).wantsHelp

/** The page that `--help` asks for, wherever in the command line it stands. */
export function helpAskedFor(program: AnyCommand, argv: readonly string[], width: number): string {
  const request = readRequest(program, argv)
  if (request.stray !== undefined) throw unknownCommand(program, request)
  return renderPage(commandSections(request.command), width)
}

/** Says which command was meant: one that is spelt alike and could stand there, or one that stands elsewhere. */
export function unknownCommand(program: AnyCommand, { command, stray = '' }: Request): Failure {
  const meant = nearestByName(stray, childrenOf(command)) ?? nearestByName(stray, leavesOf(program))
  const isHere = meant?.parent === command
  const name = meant && (isHere ? meant.name() : pathBelow(meant))
  return new Failure('usage', `unknown command '${stray}'${name === undefined ? '' : `; did you mean ${name}?`}`, {
    hint: `${commandPath(meant ?? command)} --help`,
  })
}

function nearestByName(word: string, commands: readonly AnyCommand[]): AnyCommand | undefined {
  const names = commands.map((command) => command.name())
  return commands[names.indexOf(nearest(word, names) ?? '')]
}

/** Follows `-qe local` letter by letter, as commander does. */
function readOption(command: AnyCommand, word: string): { isHelp: boolean; takesNext: boolean } {
  if (word.startsWith('--')) {
    return { isHelp: word === '--help', takesNext: !word.includes('=') && takesValue(command, word) }
  }
  for (const [index, letter] of [...word.slice(1)].entries()) {
    if (letter === 'h') return { isHelp: true, takesNext: false }
    if (takesValue(command, `-${letter}`)) return { isHelp: false, takesNext: index === word.length - 2 }
  }
  return { isHelp: false, takesNext: false }
}

const takesValue = (command: AnyCommand, flag: string) => findOption(command, flag)?.required ?? false

function findOption(command: AnyCommand, flag: string): Option | undefined {
  const own = command.options.find(({ short, long }) => short === flag || long === flag)
  return own ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}
