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

interface Measures {
  readonly width: number
  readonly termWidth: number
}

/** A page as text. Only long words and commands are wider than `width`. */
export function renderPage(sections: readonly Section[], width: number): string {
  const entries = sections.flatMap((section) => section.entries ?? [])
  const lengths = entries.map(({ term }) => term.length)
  const termWidth = Math.min(widestTerm, Math.max(0, ...lengths))
  const measures = { width, termWidth }
  const rendered = sections.map((section) => renderSection(section, measures))
  return rendered.join('\n\n')
}

function renderSection(section: Section, measures: Measures): string {
  const { heading, paragraphs = [], entries = [], commands = [] } = section
  const { width } = measures
  const indent = heading === undefined ? '' : '  '
  const prose = paragraphs.map((text) => wrap(text, width, indent))
  const listed = entries.map((entry) => renderEntry(entry, measures)).join('\n')
  const shell = commands.map((example) => renderCommand(example, width)).join('\n')
  const blocks = [...prose, listed, shell].filter((block) => block !== '')
  const body = blocks.join('\n\n')
  return heading === undefined ? body : `${renderHeading(section, width)}\n${body}`
}

function renderHeading({ heading = '', seeAlso }: Section, width: number): string {
  const title = seeAlso === undefined ? heading : `${heading} (${seeAlso})`
  return `${wrap(title, width - 1, '')}:`
}

function renderEntry({ term, description }: Entry, { width, termWidth }: Measures): string {
  const column = 2 + termWidth + 2
  const isNarrow = width < column + leastBeside
  if (isNarrow) {
    const above = wrap(term, width, '  ', '    ')
    const below = wrap(description, width, '      ')
    return `${above}\n${below}`
  }
  const indent = ' '.repeat(column)
  const widest = Math.min(width, column + widestProse)
  const beside = wrap(description, widest, indent)
  const head = `  ${term}`
  if (term.length > termWidth) return `${head}\n${beside}`
  return head.padEnd(column) + beside.slice(column)
}

/** The command is never broken here: a terminal wraps it, and still copies it as one line. */
function renderCommand([line, about]: Example, width: number): string {
  const comment = wrap(about, width, '  # ')
  return `${comment}\n  ${line}`
}

/** Breaks a text at its spaces, but not at the no-break ones. */
function wrap(text: string, width: number, first: string, next = first): string {
  const widest = Math.min(width, widestProse + first.length)
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.split(' ')) {
    const hasRoom = line.length + 1 + word.length <= widest
    if (isEmpty) line += word
    else if (hasRoom) line += ` ${word}`
    else {
      lines.push(line)
      line = next + word
    }
    isEmpty = false
  }
  lines.push(line)
  return lines.join('\n').replaceAll(noBreak, ' ')
}
