import type { DeclaredCommand } from '../commands/declare.ts'
import { habits, reasons } from './habits.ts'
import { filledIn, patternOf, type Values } from './kinds.ts'
import type { ReadLine } from './read-line.ts'
import { commandName, lineageOf, namesOf } from './tree.ts'

export interface Match {
  readonly reason?: string | undefined
  /** The command line that was meant. */
  readonly meant?: readonly string[] | undefined
}

/** What the rows that apply say about a refused command line, in their order. */
export function matchHabits(line: ReadLine): Match[] {
  // Words are matched as lines.
  if (!line.isBeforeRun || line.argv.join().includes('\n')) return []
  const lines = linesOf(line)
  return rowsFor(line.command).flatMap(({ typed, meant, reason }) => {
    const found = findRow(typed, lines)
    if (found === undefined) return []
    return {
      reason: reasons[reason],
      meant: meant === undefined ? undefined : withMeant(meant, found, line.command)
    }
  })
}

function rowsFor(command: DeclaredCommand) {
  const headings = ['any', commandName(command) || 'petstore']
  const sections = habits.trim().split(/\n(?=\S)/)
  return sections.flatMap(section => {
    const [heading = '', ...rows] = section.split(/\n +/)
    return headings.includes(heading) ? rows.map(partsOfRow) : []
  })
}

function partsOfRow(row: string) {
  const [words = '', reason = ''] = row.split(' #')
  const [typed = '', meant] = words.split(' → ')
  return { typed, meant, reason }
}

/** A word a line. The first behind the command has a mark, and so has an input that is not named. */
function linesOf({ command, argv, error, isPiped }: ReadLine) {
  const [operand = ''] = command.args
  const place = operand.startsWith('-') ? -1 : argv.indexOf(operand)
  const words = argv.map((word, index) => {
    return index === place ? `\0${word}` : word
  })
  const isUnnamed = isPiped && error?.code === 'commander.missingArgument'
  const input = isUnnamed ? ['\0<'] : []
  return ['', ...words, ...input, ''].join('\n')
}

interface Found {
  /** The line with a mark in place of the row. */
  readonly rest: string
  readonly values: Values
}

const mark = '\n\0\0'

/** `NAME --sort -FIELD` has two parts. */
const beforeOption = / (?=-(?![A-Z]{2}))/

function findRow(typed: string, line: string): Found | undefined {
  let rest = line
  let values = {}
  for (const part of typed.split(beforeOption)) {
    const match = patternOf(part).exec(rest)
    if (match === null) return undefined
    const before = rest.slice(0, match.index)
    const behind = rest.slice(before.length + match[0].length)
    const place = rest === line ? mark : ''
    rest = before + place + behind
    values = { ...values, ...match.groups }
  }
  return { rest, values }
}

/** The line with what is meant in place of the row, or of the command too. */
function withMeant(answer: string, { rest, values }: Found, command: DeclaredCommand) {
  const words = answer.split(' ').filter(word => word !== 'NOTHING')
  const meant = words.map(word => filledIn(word, values))
  const [before = [], after = []] = rest.split(mark).map(wordsOf)
  const others = [...before, ...after]
  if (isLost(meant, others)) return undefined
  if (meant[0] !== 'petstore') return [...before, ...meant, ...after]
  const isPage = meant.includes('--help') || meant[1] === 'help'
  const names = lineageOf(command).flatMap(namesOf)
  const options = others.filter(word => !names.includes(word))
  return isPage ? meant.slice(1) : [...meant.slice(1), ...options]
}

function wordsOf(lines: string) {
  const words = lines.split('\n').filter(word => word !== '' && word !== '\0<')
  return words.map(word => word.replace('\0', ''))
}

/** Of two equal options, one would be lost; a jq expression needs what others leave out. */
function isLost(meant: readonly string[], others: readonly string[]) {
  const options = meant.filter(word => word.startsWith('--'))
  const given = others.map(word => word.replace(/=.*/, ''))
  const has = (option: string) => given.includes(option)
  if (options.some(has)) return true
  if (options.includes('--fields')) return has('--jq')
  if (!options.includes('--jq')) return false
  return ['--limit', '--watch', '--fields'].some(has)
}
