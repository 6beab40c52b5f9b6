import type { Example } from '../commands/declare.ts'
import { type Section, wrap } from './page.ts'

/** A page as Markdown with YAML front matter, as agents read skills. */
export function renderMarkdown(
  title: string,
  frontMatter: Readonly<Record<string, string>>,
  sections: readonly Section[],
  width: number,
): string {
  const fields = Object.entries(frontMatter).map(([name, value]) => renderField(name, value, width))
  const head = ['---', ...fields, '---'].join('\n')
  return [head, `# ${title}`, ...sections.map((section) => markdownSection(section, { width, level: 2 }))].join('\n\n')
}

/** A text with spaces is written folded: YAML joins its lines. */
function renderField(name: string, value: string, width: number): string {
  return value.includes(' ') ? `${name}: >-\n${wrap(value, width, '  ')}` : `${name}: ${value}`
}

interface MarkdownStyle {
  readonly width: number
  /** Of the heading. */
  readonly level: number
  /** Terms are code, unless they are words. */
  readonly hasCodeTerms?: boolean
}

export function markdownSection(
  { heading, paragraphs = [], entries = [], commands = [] }: Section,
  { width, level, hasCodeTerms = false }: MarkdownStyle,
): string {
  const mark = hasCodeTerms ? '`' : '**'
  const list = entries.map(({ term, description }) => wrap(`${mark}${term}${mark}: ${description}`, width, '- ', '  '))
  const script = commands.map(renderCommand).join('\n')
  return [
    ...(heading === undefined ? [] : [`${'#'.repeat(level)} ${heading}`]),
    ...paragraphs.map((text) => wrap(text, width, '')),
    ...(list.length === 0 ? [] : [list.join('\n')]),
    ...(script === '' ? [] : [`\`\`\`sh\n${script}\n\`\`\``]),
  ].join('\n\n')
}

const renderCommand = ([line, about]: Example) => `# ${about}\n${line}`
