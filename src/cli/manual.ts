import { type AnyCommand, type Example, notesOf } from '../commands/declare.ts'
import { commandSections, usageOf } from './help.ts'
import type { Entry, Section, Topic } from './page.ts'
import { topics } from './topics.ts'
import { commandPath, commandsBelow, walkTree } from './tree.ts'

/** The day of the last review of the texts that the page is made from. */
const lastReview = '2026-11-22'

/** The man page as man(7) source for mandoc and groff. */
export function manPage(program: AnyCommand, version: string): string {
  const [, ...commands] = walkTree(program)
  const [options, ...rest] = topics.filter(({ text: whole }) => whole === undefined)
  return [
    String.raw`.\" Generated from the commands of petstore by npm run generate.`,
    `.TH PETSTORE 1 ${lastReview} "petstore ${version}" "User Commands"`,
    // Otherwise names of variables and files are hyphenated (`nh` until the next heading, `HY` after it), and a line
    // with a long word cannot be justified.
    '.nh',
    '.nr HY 0',
    '.ad l',
    '.SH NAME',
    text(`petstore - ${program.description()}`),
    '.SH SYNOPSIS',
    `.B ${escaped('petstore')}`,
    text('<command> [arguments] [options]'),
    '.SH DESCRIPTION',
    ...sectionLines({ paragraphs: description }),
    '.SH "EXAMPLES"',
    // A chapter starts a paragraph by itself.
    ...notesOf(program).examples.flatMap(exampleLines).slice(1),
    ...(options === undefined ? [] : topicLines(options, program)),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    ...rest.flatMap((topic) => topicLines(topic, program)),
    '.SH "FILES"',
    text('petstore config path prints the path of the config file. The variable PETSTORE_CONFIG_DIR moves all files.'),
    ...files.flatMap(entryLines),
  ].join('\n')
}

const description = [
  'With --env local, petstore needs no server: the real service is built into the program.',
  'Only data goes to standard output. Prompts, notices, progress and errors go to standard error.',
]

const files: readonly Entry[] = [
  { term: '~/.config/petstore/config.json', description: 'environments, URLs, API keys and saved settings' },
  { term: '~/.config/petstore/local.db', description: 'the data of the local service' },
  { term: '~/.config/petstore/journals/', description: 'the journals of imports' },
]

/** Topics that have another name in man pages. */
const chapterNames: Readonly<Record<string, string>> = { 'exit-codes': 'EXIT STATUS' }

const topicLines = ({ name, sections }: Topic, program: AnyCommand) => [
  `.SH "${chapterNames[name] ?? name.toUpperCase()}"`,
  ...sections(program).flatMap((section) => part(section, name)),
]

/** These sections are in other chapters. */
const shownElsewhere = ['Usage', 'Commands', 'Shared options']

function commandLines(command: AnyCommand): string[] {
  const [about, ...rest] = commandSections(command)
  const title = commandsBelow(command).length > 0 ? commandPath(command) : usageOf(command)
  return [
    `.SS "${escaped(title)}"`,
    ...sectionLines(about ?? {}),
    ...rest.filter(({ heading = '' }) => !shownElsewhere.includes(heading)).flatMap((section) => part(section)),
  ]
}

/** A heading that repeats the chapter's is left out. */
function part(section: Section, chapterName = ''): string[] {
  const { heading } = section
  const isRepeated = heading?.toLowerCase().replace(' ', '-') === chapterName
  const title = heading === undefined || isRepeated ? [] : ['.PP', `.I "${escaped(heading)}:"`]
  return [...title, ...sectionLines(section)]
}

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

/** A paragraph, whose line ends mean nothing. */
const text = (paragraph: string) => folded(paragraph).join('\n')

/** One line, which may be folded: a backslash at the end of a line joins it to the next. */
const line = (whole: string) => folded(whole).join(' \\\n')

/** Breaks lines that mandoc would warn about. `\\&` keeps a line from being read as a request. */
const folded = (whole: string) =>
  [...escaped(whole).matchAll(/(.{1,78}|\S+)(?: |$)/g)].map(([, part = '']) => part.replace(/^[.']/, '\\&$&'))

/**
 * `-` becomes the character that users type, `"` no longer ends an argument, and characters beyond ASCII become
 * numbers.
 */
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
