import type { Example } from '../commands/declare.ts'
import type { Entry, Section } from './page.ts'

/** What a description needs to be read beside its term; with less it goes below. */
const leastBeside = 28
const widestTerm = 30
/** Longer lines are hard to read, however wide the terminal is. */
const widestProse = 100

/** A space at which no line ends. */
export const noBreak = '\u00a0'

/** A page as text: nothing in it is wider than `width` but a word that can't be broken. */
export function renderPage(sections: readonly Section[], width: number): string {
  const termWidth = Math.min(widestTerm, Math.max(0, ...sections.flatMap(termLengths)))
  return sections.map((section) => renderSection(section, { width, termWidth })).join('\n\n')
}

interface Measures {
  readonly width: number
  readonly termWidth: number
}

function renderSection(section: Section, measures: Measures): string {
  const { heading, paragraphs = [], entries = [], commands = [] } = section
  const { width } = measures
  const indent = heading === undefined ? '' : '  '
  const prose = paragraphs.map((text) => [wrap(text, width, indent)])
  const listed = entries.length === 0 ? [] : [entries.map((entry) => renderEntry(entry, measures))]
  const shell = commands.length === 0 ? [] : [commands.map((example) => renderCommand(example, width))]
  const blocks = [...prose, ...listed, ...shell].map((lines) => lines.join('\n'))
  return [...(heading === undefined ? [] : [`${wrap(heading, width - 1, '')}:`]), blocks.join('\n\n')].join('\n')
}

const termLengths = ({ entries = [] }: Section) => entries.map(({ term }) => term.length)

function renderEntry({ term, description }: Entry, { width, termWidth }: Measures): string {
  const column = 2 + termWidth + 2
  if (width < column + leastBeside) return `${wrap(term, width, '  ', '    ')}\n${wrap(description, width, '      ')}`
  const [first = '', ...rest] = wrap(description, Math.min(width, column + widestProse), ' '.repeat(column)).split('\n')
  const isBeside = term.length <= termWidth
  const head = isBeside ? [`  ${term}`.padEnd(column) + first.slice(column)] : [`  ${term}`, first]
  return [...head, ...rest].join('\n')
}

/** A line that is too long goes on after a backslash, between words of the shell, so that it can be pasted as it is. */
function renderCommand([line, about]: Example, width: number): string {
  const comment = wrap(about, width, '  # ')
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [line]
  return `${comment}\n${fill(words, { width: width - 2, first: '  ', next: '    ' }).join(' \\\n')}`
}

/** Breaks a text at its spaces, but not at the no-break ones. */
function wrap(text: string, width: number, first: string, next = first): string {
  const edges = { width: Math.min(width, widestProse + first.length), first, next }
  return fill(text.split(' '), edges).join('\n').replaceAll(noBreak, ' ')
}

interface Edges {
  readonly width: number
  readonly first: string
  readonly next: string
}

function fill(words: readonly string[], { width, first, next }: Edges): string[] {
  const lines = [first]
  for (const word of words) {
    const line = lines.at(-1) ?? ''
    const isEmpty = line === (lines.length === 1 ? first : next)
    if (isEmpty) lines[lines.length - 1] = line + word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(next + word)
  }
  return lines
}
