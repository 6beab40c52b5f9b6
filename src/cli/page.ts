import type { Example } from '../commands/declare.ts'

/** A term and its description. */
export interface Entry {
  readonly term: string
  readonly description: string
}

/** A part of a help page, before it is rendered. */
export interface Section {
  readonly heading?: string
  /** The command whose page explains the section. */
  readonly seeAlso?: string
  readonly paragraphs?: readonly string[]
  readonly entries?: readonly Entry[]
  /** Lines for a shell, each below a comment on what it does. */
  readonly commands?: readonly Example[]
}

/** The columns that a description needs beside its term; with fewer, it goes below the term. */
const leastBeside = 28
const widestTerm = 30
/** Longer lines are hard to read, however wide the terminal is. */
const widestProse = 100

/** A space at which no line breaks. */
export const noBreak = '\u00a0'

/** A page as text. Only long words and commands are wider than `width`. */
export function renderPage(sections: readonly Section[], width: number): string {
  const termWidth = Math.min(widestTerm, Math.max(0, ...sections.flatMap(termLengths)))
  return sections.map((section) => renderSection(section, { width, termWidth })).join('\n\n')
}

interface Measures {
  readonly width: number
  readonly termWidth: number
}

function renderSection(section: Section, measures: Measures): string {
  const { heading, seeAlso, paragraphs = [], entries = [], commands = [] } = section
  const { width } = measures
  const title = seeAlso === undefined ? heading : `${heading} (${seeAlso})`
  const indent = heading === undefined ? '' : '  '
  const prose = paragraphs.map((text) => [wrap(text, width, indent)])
  const listed = entries.length === 0 ? [] : [entries.map((entry) => renderEntry(entry, measures))]
  const shell =
    commands.length === 0 ? [] : [commands.map((example) => renderCommand(example, width))]
  const blocks = [...prose, ...listed, ...shell].map((lines) => lines.join('\n'))
  return [
    ...(title === undefined ? [] : [`${wrap(title, width - 1, '')}:`]),
    blocks.join('\n\n'),
  ].join('\n')
}

const termLengths = ({ entries = [] }: Section) => entries.map(({ term }) => term.length)

function renderEntry({ term, description }: Entry, { width, termWidth }: Measures): string {
  const column = 2 + termWidth + 2
  if (width < column + leastBeside)
    return `${wrap(term, width, '  ', '    ')}\n${wrap(description, width, '      ')}`
  const [first = '', ...rest] = wrap(
    description,
    Math.min(width, column + widestProse),
    ' '.repeat(column),
  ).split('\n')
  const isBeside = term.length <= termWidth
  const head = isBeside ? [`  ${term}`.padEnd(column) + first.slice(column)] : [`  ${term}`, first]
  return [...head, ...rest].join('\n')
}

/** The command is never broken here: a terminal wraps it, and still copies it as one line. */
function renderCommand([line, about]: Example, width: number): string {
  return `${wrap(about, width, '  # ')}\n  ${line}`
}

/** Breaks a text at its spaces, but not at the no-break ones. */
function wrap(text: string, width: number, first: string, next = first): string {
  const widest = Math.min(width, widestProse + first.length)
  if (first.length + text.length <= widest) return `${first}${text}`.replaceAll(noBreak, ' ')
  const lines = [first]
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    const isEmpty = line === (lines.length === 1 ? first : next)
    if (isEmpty) lines[lines.length - 1] = line + word
    else if (line.length + 1 + word.length <= widest) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(next + word)
  }
  return lines.join('\n').replaceAll(noBreak, ' ')
}
