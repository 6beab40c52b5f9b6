import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runCli } from './support/run-cli.ts'
import { variableNames } from './support/variables.ts'

interface Description {
  readonly options: readonly { flags: string }[]
  readonly commands: readonly { name: string; options?: readonly { flags: string }[] }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const description: Description = JSON.parse(
  (await runCli(['commands'], { home: '/dev/null' })).stdout
)
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`)
]
const otherPages = [
  ...['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'test/README.md', 'bench/RESULTS.md'],
  'skills/petstore/SKILL.md'
]
/** The pages written by hand: docs/reference.md is generated. */
const written = pages.filter(page => page !== 'docs/reference.md')

/** A file, and a heading on it, if the link names one. */
function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', heading] = link.split('#')
  const target = file === '' ? page : join(dirname(page), file)
  if (!existsSync(join(root, target))) return false
  if (heading === undefined) return true
  const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-')
  )
  return headings.includes(heading)
}

const codeOf = (page: string) =>
  [...read(page).matchAll(/`([^`\n]+)`|^```(?:sh|bash)\n(.*?)^```$/gms)].map(
    ([, inline, block]) => inline ?? block ?? ''
  )

describe('the docs', () => {
  test('or the skill name every command', () => {
    const code = [
      ...written.flatMap(codeOf),
      ...codeOf('skills/petstore/SKILL.md').map(text => `petstore ${text}`)
    ]
    const missing = description.commands.filter(
      ({ name }) => !code.some(text => text.includes(`petstore ${name}`))
    )
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  test.each(written)('%s names no option or variable that does not exist', page => {
    const flags = [
      ...description.options,
      ...description.commands.flatMap(command => command.options ?? [])
    ]
    const known = new Set(
      flags.flatMap(({ flags: text }) => text.match(/--?[a-zA-Z][\w-]*/g) ?? [])
    )
    const named = codeOf(page).flatMap(text =>
      /curl|npm |docker run|--detach/.test(text) ? [] : (text.match(/--[a-z][\w-]*/g) ?? [])
    )
    expect(named.filter(flag => !known.has(flag))).toEqual([])
    const variables = read(page).match(
      /\b(PETSTORE_[A-Z_]+|[A-Z]+_PROXY|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|NO_COLOR|FORCE_COLOR)\b/g
    )
    expect((variables ?? []).filter(name => !variableNames.includes(name))).toEqual([])
  })

  test.each([...pages, ...otherPages])('%s has no link to a missing file or heading', page => {
    const links = [...read(page).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const local = links.filter(link => !link.startsWith('https://'))
    expect(local.filter(link => !leadsSomewhere(page, link))).toEqual([])
  })

  test('give a reason for every dependency', () => {
    const { devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
    const listed = [...read('docs/dependencies.md').matchAll(/^- (`.*?`): /gm)].flatMap(
      ([, names = '']) => names.split(', ').map(name => name.replaceAll('`', ''))
    )
    expect(listed.sort()).toEqual(
      Object.keys({ ...devDependencies, ...optionalDependencies }).sort()
    )
  })
})

describe('the README', () => {
  const readme = read('README.md')

  test('has at most 130 lines, and promises no telemetry and no update check', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(130)
    expect(readme.replace(/\s+/g, ' ')).toContain('No telemetry, no update check')
  })

  test('shows the output of the first command', async () => {
    const [, words = '', output] =
      /```sh\n(?:.*\n)*?.*petstore (pets list .*)\n```\n\n```text\n([^`]*)```/.exec(readme) ?? []
    const { stdout } = await runCli([...words.split(' '), '-o', 'table'])
    expect(output).toBe(stdout)
  })
})
