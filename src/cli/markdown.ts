import type { Example } from '../commands/declare.ts'
import { wrap } from './layout.ts'
import type { Entry, Section } from './page.ts'

/** A page as Markdown with YAML front matter, as agents read skills. */
export function renderMarkdown(
  title: string,
  frontMatter: Readonly<Record<string, string>>,
  sections: readonly Section[],
  width: number,
): string {
  const fields = Object.entries(frontMatter).map(([name, value]) => renderField(name, value, width))
  const head = ['---', ...fields, '---'].join('\n')
  return [head, `# ${title}`, ...sections.map((section) => renderSection(section, width))].join('\n\n')
}

/** A text with spaces is written folded: YAML joins its lines. */
function renderField(name: string, value: string, width: number): string {
  return value.includes(' ') ? `${name}: >-\n${wrap(value, width, '  ')}` : `${name}: ${value}`
}

function renderSection({ heading, paragraphs = [], entries = [], commands = [] }: Section, width: number): string {
  const list = entries.map((entry) => renderEntry(entry, width)).join('\n')
  const script = commands.map(renderCommand).join('\n')
  return [
    ...(heading === undefined ? [] : [`## ${heading}`]),
    ...paragraphs.map((text) => wrap(text, width, '')),
    ...(list === '' ? [] : [list]),
    ...(script === '' ? [] : [`\`\`\`sh\n${script}\n\`\`\``]),
  ].join('\n\n')
}

const renderEntry = ({ term, description }: Entry, width: number) =>
  wrap(`**${term}**: ${description}`, width, '- ', '  ')

const renderCommand = ([line, about]: Example) => `# ${about}\n${line}`
