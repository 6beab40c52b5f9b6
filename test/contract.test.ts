import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { documentedVariables } from '../src/settings/table.ts'
import { runCli } from './support/run-cli.ts'

interface Description {
  readonly options: readonly { flags: string }[]
  readonly commands: readonly { name: string; options: readonly { flags: string }[] }[]
  readonly exitCodes: readonly { code: number; name: string; meaning: string }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const description: Description = JSON.parse(
  (await runCli(['commands'], { home: '/dev/null' })).stdout,
)
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
/** The pages written by hand: docs/reference.md is generated. */
const written = pages.filter((page) => page !== 'docs/reference.md')

/** The rows of the table with these headings, each as a list of cells. */
function tableRows(page: string, headings: readonly string[]): string[][] {
  const rows = read(page)
    .split('\n')
    .map((line) =>
      line.startsWith('|')
        ? line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim())
        : undefined,
    )
  const start = rows.findIndex((cells) => cells?.join() === headings.join())
  const end = rows.indexOf(undefined, start)
  return rows.slice(start + 2, end).map((cells) => cells ?? [])
}

const codeOf = (page: string) =>
  [...read(page).matchAll(/`([^`\n]+)`|^```sh\n(.*?)^```$/gms)].map(
    ([, inline, block]) => inline ?? block ?? '',
  )

describe('the docs', () => {
  test('list every exit code with its meaning', () => {
    const rows = tableRows('docs/scripting.md', ['code', 'name', 'meaning'])
    expect(rows).toEqual(
      description.exitCodes.map(({ code, name, meaning }) => [String(code), name, meaning]),
    )
  })

  test('or the skill name every command', () => {
    const code = [
      ...written.flatMap(codeOf),
      ...codeOf('skills/petstore/SKILL.md').map((text) => `petstore ${text}`),
    ]
    const missing = description.commands.filter(
      ({ name }) => !code.some((text) => text.includes(`petstore ${name}`)),
    )
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  test.each(written)('%s names no option or variable that does not exist', (page) => {
    const flags = [
      ...description.options,
      ...description.commands.flatMap((command) => command.options),
    ]
    const known = new Set(
      flags.flatMap(({ flags: text }) => text.match(/--?[a-zA-Z][\w-]*/g) ?? []),
    )
    const named = codeOf(page).flatMap((text) =>
      /curl|npm|docker run|--detach/.test(text) ? [] : (text.match(/--[a-z][\w-]*/g) ?? []),
    )
    expect(named.filter((flag) => !known.has(flag))).toEqual([])
    const variables = read(page).match(
      /\b(PETSTORE_[A-Z_]+|[A-Z]+_PROXY|NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR)\b/g,
    )
    const names = documentedVariables().map(({ name }) => name)
    expect((variables ?? []).filter((name) => !names.includes(name))).toEqual([])
  })

  test.each([...pages, 'CONTRIBUTING.md', 'CHANGELOG.md'])(
    '%s has no link to a missing file',
    (page) => {
      const links = [...read(page).matchAll(/\]\(([^)#]+)|(?:src|srcset)="([^"]+)"/g)].map(
        ([, link, source]) => link ?? source ?? '',
      )
      const local = links.filter((link) => !link.startsWith('https://'))
      expect(local.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
    },
  )

  test('name only files of the sources and tests that exist', () => {
    const paths = [...read('SECURITY.md').matchAll(/`([a-z-]+\/[\w/-]+(?:\.test)?\.ts)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(20)
    expect(
      paths.filter(
        (path) => !existsSync(join(root, path.startsWith('test/') ? path : `src/${path}`)),
      ),
    ).toEqual([])
  })

  test('give a reason for every dependency', () => {
    const { devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
    const listed = [...read('docs/dependencies.md').matchAll(/^- (`.*?`): /gm)].flatMap(
      ([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')),
    )
    expect(listed.sort()).toEqual(
      Object.keys({ ...devDependencies, ...optionalDependencies }).sort(),
    )
  })
})

describe('the README', () => {
  const readme = read('README.md')

  test('has at most 150 lines, and promises no telemetry and no update check', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150)
    expect(readme).toContain('\nNo telemetry, no update check.\n')
  })

  test('has no command that needs a published package or a placeholder host', () => {
    expect(readme).not.toMatch(
      /npm (install|i) (-g|--global) petstore|npx petstore-cli|\bHOST\b|\.example\b/,
    )
  })

  test('shows the output of the first command', async () => {
    const [, command = '', output] =
      /```sh\n(petstore .*)\n```\n\n```text\n([^`]*)```/.exec(readme) ?? []
    const { stdout } = await runCli([...command.split(' ').slice(1), '-o', 'table'])
    expect(output).toBe(stdout)
  })
})
