import type { AnyCommand, Example } from '../commands/declare.ts'
import { commandSections, usageOf } from './help.ts'
import type { Entry, Section } from './page.ts'
import { topics } from './topics/index.ts'
import { commandPath, walkTree } from './tree.ts'

/** The day on which what the page is made from was last looked over. */
const lookedOver = '2026-11-20'

/** The manual in the language of man(7), for mandoc and groff alike. */
export function manPage(program: AnyCommand, version: string): string {
  const commands = walkTree(program).filter((command) => command !== program)
  const [about, ...rest] = commandSections(program)
  return [
    String.raw`.\" Made from the commands of petstore by npm run generate.`,
    `.TH PETSTORE 1 ${lookedOver} "petstore ${version}" "User Commands"`,
    '.SH NAME',
    text(`petstore - ${program.description()}`),
    '.SH SYNOPSIS',
    `.B ${escaped('petstore')}`,
    text('<command> [arguments] [options]'),
    ...(about === undefined ? [] : ['.SH DESCRIPTION', ...sectionLines({ paragraphs: descriptionOf(about) })]),
    ...rest.filter(({ heading }) => heading === 'Options of every command' || heading === 'Examples').flatMap(chapter),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    ...topics.flatMap((topic) => [
      `.SH "${chapterNames[topic.name] ?? topic.name.toUpperCase()}"`,
      ...topic.sections().flatMap(part),
    ]),
  ].join('\n')
}

/** Where a manual has a name of its own for what a topic tells. */
const chapterNames: Readonly<Record<string, string>> = { 'exit-codes': 'EXIT STATUS' }

const descriptionOf = ({ paragraphs = [] }: Section) => [
  ...paragraphs,
  'Data goes to standard output and nothing else does; prompts, notices and errors go to standard error.',
]

const chapter = (section: Section) => {
  const [first, ...rest] = sectionLines(section)
  // A chapter begins a paragraph by itself.
  const lines = first === undefined || first === '.PP' ? rest : [first, ...rest]
  return [`.SH "${escaped((section.heading ?? '').toUpperCase())}"`, ...lines]
}

/** What every command has in common stands in chapters of its own. */
const saidElsewhere = ['Usage', 'Commands', 'Options of every command']

function commandLines(command: AnyCommand): string[] {
  const [about, ...rest] = commandSections(command)
  const title = command.commands.length > 0 ? commandPath(command) : usageOf(command)
  return [
    `.SS "${escaped(title)}"`,
    ...sectionLines(about ?? {}),
    ...rest.filter(({ heading = '' }) => !saidElsewhere.includes(heading)).flatMap(part),
  ]
}

const part = (section: Section) => [
  ...(section.heading === undefined ? [] : ['.PP', `.I "${escaped(section.heading)}:"`]),
  ...sectionLines(section),
]

function sectionLines({ heading, paragraphs = [], entries = [], commands = [] }: Section): string[] {
  const prose = paragraphs.flatMap((paragraph, index) =>
    index === 0 && heading === undefined ? [text(paragraph)] : ['.PP', text(paragraph)],
  )
  return [...prose, ...entries.flatMap(entryLines), ...commands.flatMap(exampleLines)]
}

const entryLines = ({ term, description }: Entry) => ['.TP', `.B "${escaped(term)}"`, text(description)]

const exampleLines = ([shellLine, about]: Example) => [
  '.PP',
  text(`${about}:`),
  '.PP',
  '.RS 4',
  '.EX',
  line(shellLine),
  '.EE',
  '.RE',
]

/** Longer lines of a source are bad style, says mandoc. */
const widestLine = 78

/** A paragraph: where its lines end means nothing. */
const text = (paragraph: string) => folded(paragraph, '\n')

/** A line that stays one: a backslash before its end joins it to the next. */
const line = (whole: string) => folded(whole, '\\\n')

/** No line of it is taken for a request. */
function folded(whole: string, end: string): string {
  const lines: string[] = []
  for (const word of escaped(whole).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (last.length + 1 + word.length <= widestLine) lines[lines.length - 1] = `${last} ${word}`
    else if (end === '\n') lines.push(word)
    else {
      lines[lines.length - 1] = `${last} `
      lines.push(word)
    }
  }
  return lines.map((part) => (/^[.']/.test(part) ? `\\&${part}` : part)).join(end)
}

/** `-` as it is typed, `"` so that it ends no argument, and letters beyond ASCII by their numbers. */
function escaped(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('\u00a0', ' ')
    .replaceAll('…', '...')
    .replace(/[^\x20-\x7e]/gu, (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`)
}
