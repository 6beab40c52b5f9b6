import agents from '../../skills/petstore/SKILL.md'
import type { AnyCommand, Example } from '../commands/declare.ts'
import { endings } from '../failure.ts'
import { formatNames, formats as outputFormats } from '../output/formats.ts'
import { documentedVariables, preferenceNames } from '../settings/table.ts'
import { allOf } from '../settings/value-types.ts'
import { optionEntry } from './option-text.ts'
import type { Entry, Section, Topic } from './page.ts'
import { ownOptions } from './shared-options.ts'
import environment from './topics/environment.md'
import exitCodes from './topics/exit-codes.md'
import formats from './topics/formats.md'
import imports from './topics/import.md'
import options from './topics/options.md'
import security from './topics/security.md'

/** The pages of help that belong to no single command, in the order of `petstore --help`. */
export const topics: readonly Topic[] = [
  topic('options', options),
  topic('environment', environment),
  topic('exit-codes', exitCodes),
  topic('formats', formats),
  topic('import', imports),
  topic('security', security),
  {
    name: 'agents',
    summary: 'how an agent uses petstore (a skill in Markdown)',
    sections: () => [],
    text: agents,
  },
]

/** What stands in braces in a topic is derived from the code: a table, or words in a text. */
const tables: Readonly<Record<string, (program: AnyCommand) => readonly Entry[]>> = {
  '{options}': (program) => ownOptions(program).map(optionEntry),
  '{variables}': () =>
    documentedVariables().map(({ name, about }) => ({ term: name, description: about })),
  '{exit-codes}': () =>
    endings.map(({ code, name, meaning }) => ({ term: `${code} ${name}`, description: meaning })),
  '{formats}': () =>
    formatNames.map((name) => ({ term: name, description: outputFormats[name].description })),
}
const withWords = (text: string) => text.replace('{preferences}', allOf(preferenceNames))

/** The first line of a topic's file is its summary. */
function topic(name: string, markdown: string): Topic {
  const summary = markdown.slice('# '.length, markdown.indexOf('\n'))
  return { name, summary, sections: (program) => sectionsOf(markdown, program) }
}

/**
 * Reads the Markdown that the topics use: headings, paragraphs, lists of terms, and commands for a
 * shell.
 */
function sectionsOf(markdown: string, program: AnyCommand): Section[] {
  const [start = '', ...chapters] = markdown.replace(/^# .*\n/, '').split(/^## /m)
  const withHeading = chapters.map((chapter) => {
    const [heading = ''] = chapter.split('\n', 1)
    return { heading, ...contentOf(chapter.slice(heading.length), program) }
  })
  return [contentOf(start, program), ...withHeading]
}

const script = /^```sh\n(.*?)^```$/ms

function contentOf(markdown: string, program: AnyCommand) {
  const blocks = markdown
    .replace(script, '')
    .split('\n\n')
    .map((block) => block.trim())
    .filter((block) => block !== '')
  const isList = (block: string) => block.startsWith('- **') || block in tables
  return {
    paragraphs: blocks
      .filter((block) => !isList(block))
      .map((block) => withWords(unwrapped(block))),
    entries: blocks.filter(isList).flatMap((block) => tables[block]?.(program) ?? entriesOf(block)),
    commands: examplesOf(script.exec(markdown)?.[1] ?? ''),
  }
}

/** `- **term**: description` */
function entriesOf(list: string): Entry[] {
  return list
    .split(/^- \*\*/m)
    .slice(1)
    .map((item) => {
      const [term = '', description = ''] = unwrapped(item).split('**: ')
      return { term, description }
    })
}

/** Each command is below a comment on what it does. */
const examplesOf = (lines: string): Example[] =>
  [...lines.matchAll(/^# (.*)\n(.*)\n/gm)].map(([, about = '', line = '']) => [line, about])

const unwrapped = (block: string) => block.trim().replace(/\n */g, ' ')
