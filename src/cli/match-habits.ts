import type { DeclaredCommand } from '../commands/declare.ts'
import { habits, reasons } from './habits.ts'
import { filledIn, patternOf, type Values } from './kinds.ts'
import type { ReadLine } from './read-line.ts'
import { declaredOptions } from './shared-options.ts'
import { commandName, lineageOf, namesOf } from './tree.ts'

/** What the rows that apply say about a refused command line, in their order. */
export function matchHabits(line: ReadLine) {
  // Words are matched as lines.
  if (!line.isBeforeRun || line.argv.join().includes('\n')) return []
  const lines = linesOf(line)
  const own = commandName(line.command) || 'petstore'
  const rows = rowsBelow('any') + rowsBelow(own)
  return [...rows.matchAll(rowForm)].flatMap(([, typed = '', meant, reason = '']) => {
    const found = findRow(typed, lines)
    if (found === undefined) return []
    return {
      reason: reasons[reason],
      /** The command line that was meant. */
      meant: meant === undefined ? undefined : withMeant(meant, found, line.command)
    }
  })
}

const rowForm = /^ {2}(.*?)(?: → (.*?))?(?: #(.*))?$/gm

function rowsBelow(heading: string) {
  const [, section = ''] = habits.split(`\n${heading}\n`)
  const [rows = ''] = section.split(/^(?=\S)/m)
  return rows
}

/** A word a line. The first behind the command has a mark, and so has an input that is not named. */
function linesOf({ command, argv, error, isPiped }: ReadLine) {
  const [operand = ''] = command.args
  const place = operand.startsWith('-') ? -1 : argv.indexOf(operand)
  const words = argv.map((word, index) => {
    return index === place ? `\0${word}` : word
  })
  const isUnnamed = isPiped && error?.code === 'commander.missingArgument'
  if (isUnnamed) words.push(unnamed)
  return `\n${words.join('\n')}\n`
}

const unnamed = '\0<'
const mark = '\n\0\0'

interface Found {
  /** The line with a mark in place of the row. */
  readonly rest: string
  readonly values: Values
}

/** `NAME --sort -FIELD` has two parts. */
const beforeOption = / (?=-(?![A-Z]{2}))/

function findRow(typed: string, line: string): Found | undefined {
  let rest = line
  let values = {}
  for (const part of typed.split(beforeOption)) {
    const match = patternOf(part).exec(rest)
    if (match === null) return undefined
    const [text] = match
    const before = rest.slice(0, match.index)
    const behind = rest.slice(match.index + text.length)
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
  const [first, second] = meant
  if (first !== 'petstore') return [...before, ...meant, ...after]
  const isPage = second === 'help' || meant.includes('--help')
  if (isPage) return meant.slice(1)
  const names = lineageOf(command).flatMap(namesOf)
  const options = others.filter(word => !names.includes(word))
  return [...meant.slice(1), ...options]
}

function wordsOf(lines: string) {
  const words = lines.split('\n').filter(word => word !== '' && word !== unnamed)
  return words.map(word => word.replace('\0', ''))
}

/** Of two equal options, one would be lost; a jq expression needs what others leave out. */
function isLost(meant: readonly string[], others: readonly string[]) {
  const options = meant.filter(word => word.startsWith('--'))
  const given = others.map(word => {
    const known = declaredOptions.find(({ short }) => short === word)
    return known?.long ?? word.replace(/=.*/, '')
  })
  const has = (option: string) => given.includes(option)
  if (options.some(has)) return true
  if (options.includes('--fields')) return has('--jq')
  if (!options.includes('--jq')) return false
  return ['--limit', '--watch', '--fields'].some(has)
}
