import type { Example } from '../commands/declare.ts'

/** A term and its description. */
export type Entry = readonly [term: string, description: string]

/** A part of a help page, before it is rendered. It is left out if it has no content. */
export interface Section {
  readonly heading?: string
  readonly text?: string
  readonly entries?: readonly Entry[]
  /** Lines for a shell, each below a comment on what it does. */
  readonly commands?: readonly Example[]
}

/** The columns that a description needs beside its term; with fewer, it goes below the term. */
const leastBeside = 28
/** Longer lines are hard to read, however wide the terminal is. */
const widestProse = 100

/** A space at which no line breaks. */
export const noBreak = '\u00a0'

/** A page as text. Only long words and commands are wider than `width`. */
export function renderPage(sections: readonly Section[], width: number): string {
  const entries = sections.flatMap(section => section.entries ?? [])
  const lengths = entries.map(([term]) => term.length)
  // All descriptions of a page begin in the same column.
  const column = Math.max(0, ...lengths) + 4
  const rendered = sections.map(section => renderSection(section, width, column))
  const withContent = rendered.filter(text => text !== '')
  return withContent.join('\n\n')
}

function renderSection(section: Section, width: number, column: number): string {
  const { heading, text = '', entries = [], commands = [] } = section
  const indent = heading === undefined ? '' : '  '
  const body = [
    ...(text === '' ? [] : [wrap(text, width, indent)]),
    ...entries.map(entry => renderEntry(entry, width, column)),
    ...commands.map(example => renderCommand(example, width))
  ]
  if (heading !== undefined && body.length > 0) {
    const title = wrap(heading, width - 1, '')
    body.unshift(`${title}:`)
  }
  return body.join('\n')
}

function renderEntry([term, description]: Entry, width: number, column: number): string {
  const isNarrow = width < column + leastBeside
  if (isNarrow) {
    const above = wrap(term, width, '  ')
    const below = wrap(description, width, '      ')
    return `${above}\n${below}`
  }
  const beside = wrap(description, width, ' '.repeat(column))
  return `  ${term}`.padEnd(column) + beside.slice(column)
}

/** The command is never broken here: a terminal wraps it, and still copies it as one line. */
function renderCommand([line, about]: Example, width: number): string {
  const comment = wrap(about, width, '  # ')
  return `${comment}\n  ${line}`
}

/** Breaks a text at its spaces, but not at the no-break ones. */
function wrap(text: string, width: number, indent: string): string {
  const room = Math.max(1, Math.min(width - indent.length, widestProse))
  const line = new RegExp(`(.{1,${room}}|\\S+)(?: |$)`, 'g')
  const lines = text.replace(line, `${indent}$1\n`)
  return lines.trimEnd().replaceAll(noBreak, ' ')
}
