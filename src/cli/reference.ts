import type { AnyCommand } from '../commands/declare.ts'
import { commandSections, usageOf } from './command-page.ts'
import { markdownSection } from './markdown.ts'
import type { Section } from './page.ts'
import { topics } from './topics/index.ts'
import { commandPath, walkTree } from './tree.ts'

const width = 120

/** Everything that help says about commands, options, variables, formats and exit codes, on one page of Markdown. */
export function referencePage(program: AnyCommand): string {
  const [, ...commands] = walkTree(program)
  return [
    '# Reference',
    'All commands of petstore, as `petstore help` shows them. Made by `npm run generate`.',
    ...commands.map(commandChapter),
    ...topics
      .filter(({ name }) => included.has(name))
      .map(({ name, sections }) => {
        const title = `## petstore help ${name}`
        return [title, ...sections(program).map((section) => render(section))].join('\n\n')
      }),
  ].join('\n\n')
}

/** Other pages in `docs/` have the rest. */
const included: ReadonlySet<string> = new Set(['options', 'environment', 'exit-codes', 'formats'])

function commandChapter(command: AnyCommand): string {
  const sections = commandSections(command).filter(({ heading = '' }) => !leftOut.has(heading))
  const usage = `\`\`\`\n${usageOf(command)}\n\`\`\``
  const [about, ...rest] = sections.map(render)
  return [`## ${commandPath(command)}`, about, usage, ...rest].join('\n\n')
}

const leftOut: ReadonlySet<string> = new Set(['Usage', 'Shared options'])

const render = (section: Section) => markdownSection(section, { width, level: 3, hasCodeTerms: true })
