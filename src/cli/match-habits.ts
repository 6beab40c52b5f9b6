import type { DeclaredCommand } from '../commands/declare.ts'
import { kinds, reasons } from './habit-words.ts'
import { habits } from './habits.ts'
import type { ReadLine } from './read-line.ts'
import { declaredOptions } from './shared-options.ts'
import { commandName, lineageOf, namesOf } from './tree.ts'

/** What the rows that apply say about a refused command line, in their order. */
export function matchHabits(line: ReadLine) {
  const { command, argv, isBeforeRun } = line
  // Words are matched as lines.
  if (!isBeforeRun || argv.join().includes('\n')) return []
  const rows = rowsBelow('any') + rowsBelow(commandName(command) || 'petstore')
  return [...rows.matchAll(rowForm)].flatMap(([, typed = '', answer, reason = '']) => {
    const match = patternOf(typed).exec(linesOf(line))
    if (match === null) return []
    /** The command line that was meant. */
    const meant = answer === undefined ? undefined : withMeant(answer, match, command)
    return { meant, reason: reasons[reason] }
  })
}

const rowForm = /^ {2}(.*?)(?: → (.*?))?(?: #(.*))?$/gm

function rowsBelow(heading: string) {
  const [, section = ''] = habits.split(new RegExp(`\n(?:auth )?${heading}\n`))
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

const kindName = /[A-Z]{2,}\d?/g

/** A value follows behind `=`, or as the next word. */
const behindEqual = '[\n=]\0?'

/** Finds the words of a row, one behind the other. */
function patternOf(typed: string) {
  const words = typed.split(' ').map(patternOfWord)
  const start = typed.startsWith('-') ? '' : '\0'
  return new RegExp(`\n${start}${words.join(behindEqual)}(?=[\n=])`, 'u')
}

/** Of the signs of regular expressions, a row has `|`, and `?` for what may be missing. */
function patternOfWord(word: string) {
  const literal = word.replace(/[$()*+.[\\\]^{}]/g, '\\$&')
  const spread = literal.replace(/=(?!\?)/g, behindEqual)
  const source = spread.replace(kindName, name => {
    const kind = kinds[name.replace(/\d$/, '')]
    return kind === undefined ? name : `(?<${name}>${kind})`
  })
  return `(?:${source})`
}

/** The line with what is meant in place of the row, or of the command too. */
function withMeant(answer: string, match: RegExpExecArray, command: DeclaredCommand) {
  const { index, input, groups } = match
  const meant = filledIn(answer, groups)
  const before = wordsOf(input.slice(0, index))
  const after = wordsOf(input.slice(index + match[0].length))
  const others = [...before, ...after]
  if (isLost(meant, others)) return undefined
  const [first, ...answered] = meant
  if (first !== 'petstore') return [...before, ...meant, ...after]
  const isPage = /^help |--(help|version)$/.test(answered.join(' '))
  if (isPage) return answered
  const names = lineageOf(command).flatMap(namesOf)
  const options = others.filter(word => !names.includes(word))
  return [...answered, ...options]
}

function filledIn(answer: string, groups: RegExpExecArray['groups'] = {}) {
  const words = answer.split(' ').filter(word => word !== 'NOTHING')
  return words.map(word => {
    return word.replace(kindName, name => {
      // Several words that are meant as one are joined by spaces.
      return groups[name]?.replaceAll('\n', ' ') ?? name
    })
  })
}

function wordsOf(lines: string) {
  const words = lines.split('\n').filter(word => word !== '' && word !== unnamed)
  return words.map(word => word.replace('\0', ''))
}

/** An option is lost beside its equal, and beside these: jq needs what others leave out. */
const rivals: Readonly<Record<string, readonly string[]>> = {
  '--jq': ['--limit', '--watch', '--fields'],
  '--fields': ['--jq'],
  '--output': ['--watch'],
  '--watch': ['--output']
}

function isLost(meant: readonly string[], others: readonly string[]) {
  const given = others.map(longName)
  const options = meant.filter(word => word.startsWith('--'))
  return options.some(option => {
    const { [option]: competing = [] } = rivals
    return given.includes(option) || competing.some(each => given.includes(each))
  })
}

function longName(word: string) {
  const known = declaredOptions.find(({ short }) => short === word)
  return known?.long ?? word.replace(/=.*/, '')
}
