import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { documentedVariables } from '../src/settings/table.ts'
import { operationCalls } from './support/operation-calls.ts'
import { runCli } from './support/run-cli.ts'

interface Description {
  readonly options: readonly { flags: string }[]
  readonly commands: readonly { name: string; options: readonly { flags: string }[] }[]
  readonly exitCodes: readonly { code: number; name: string; meaning: string }[]
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

/** The rows of the table with these headings, each as a list of cells. */
function tableRows(page: string, headings: readonly string[]): string[][] {
  const rows = read(page)
    .split('\n')
    .map(line =>
      line.startsWith('|')
        ? line
            .slice(1, -1)
            .split('|')
            .map(cell => cell.trim())
        : undefined
    )
  const start = rows.findIndex(cells => cells?.join() === headings.join())
  const end = rows.indexOf(undefined, start)
  return rows.slice(start + 2, end).map(cells => cells ?? [])
}

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
  test('list every exit code with its meaning', () => {
    const rows = tableRows('docs/scripting.md', ['code', 'name', 'meaning'])
    expect(rows).toEqual(
      description.exitCodes.map(({ code, name, meaning }) => [String(code), name, meaning])
    )
  })

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
      ...description.commands.flatMap(command => command.options)
    ]
    const known = new Set(
      flags.flatMap(({ flags: text }) => text.match(/--?[a-zA-Z][\w-]*/g) ?? [])
    )
    const named = codeOf(page).flatMap(text =>
      /curl|npm |docker run|--detach/.test(text) ? [] : (text.match(/--[a-z][\w-]*/g) ?? [])
    )
    expect(named.filter(flag => !known.has(flag))).toEqual([])
    const variables = read(page).match(
      /\b(PETSTORE_[A-Z_]+|[A-Z]+_PROXY|NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR)\b/g
    )
    const names = documentedVariables().map(({ name }) => name)
    expect((variables ?? []).filter(name => !names.includes(name))).toEqual([])
  })

  test.each([...pages, ...otherPages])('%s has no link to a missing file or heading', page => {
    const links = [...read(page).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const local = links.filter(link => !link.startsWith('https://'))
    expect(local.filter(link => !leadsSomewhere(page, link))).toEqual([])
  })

  test.each(pages)('%s has no comment behind a command, which zsh would pass to it', page => {
    const blocks = [...read(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    const lines = blocks.flatMap(([, language, block = '']) =>
      language === 'sh' ? block.match(/^.*#.*$/gm) : block.match(/^(?:petstore|npm) .* # .*$/gm)
    )
    expect(lines.filter(line => line !== null)).toEqual([])
  })

  test('name only files of the sources and tests that exist', () => {
    const paths = [...read('SECURITY.md').matchAll(/`([a-z-]+\/[\w/-]+(?:\.test)?\.ts)`/g)].map(
      ([, path = '']) => path
    )
    expect(paths.length).toBeGreaterThan(20)
    expect(
      paths.filter(path => !existsSync(join(root, path.startsWith('test/') ? path : `src/${path}`)))
    ).toEqual([])
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
  const commands = codeOf('README.md').filter(code => code.includes('\n'))

  test('has at most 150 lines, and promises no telemetry and no update check', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150)
    expect(readme).toContain('No telemetry, no update check.\n')
  })

  test('says before the first command which service this is for, and what it cannot do', () => {
    const [start = ''] = readme.replace(/\s+/g, ' ').split('```')
    expect(start).toMatch(/openapi\.json.*not the Swagger sample/)
    const methods = operationCalls.map(({ method }) => method)
    const missing = [
      methods.includes('PUT') || methods.includes('PATCH') ? [] : 'update',
      methods.includes('DELETE') ? [] : 'delete'
    ].flat()
    expect(start).toContain(`The service cannot ${missing.join(' or ')} pets`)
    expect(start).toContain('at most 100 pets')
  })

  test('has no command that needs a published package or a placeholder host', () => {
    expect(commands.length).toBeGreaterThan(9)
    expect(commands.join('')).not.toMatch(
      /npm (install|i) (-g|--global) petstore|npx petstore-cli|\bHOST\b|\.example\b/
    )
  })

  test('chooses the local environment once, and production at the end', () => {
    const lines = commands.join('').split('\n')
    const chosen = lines.indexOf('petstore env use local')
    const ended = lines.indexOf('petstore env use production')
    expect(chosen).toBeGreaterThan(0)
    expect(ended).toBeGreaterThan(chosen)
    expect(lines.slice(chosen, ended).join('\n')).not.toContain('--env local')
  })

  test('shows the output of the first command', async () => {
    const [, words = '', output] =
      /```sh\nnpm ci && npx petstore (.*)\n```\n\n```text\n([^`]*)```/.exec(readme) ?? []
    const { stdout } = await runCli([...words.split(' '), '-o', 'table'])
    expect(output).toBe(stdout)
  })

  test('has the numbers of the measurements', () => {
    const measured = read('bench/RESULTS.md')
    const ratios = /^\| pets list ÷ raw GET +\|([^|]*)\|([^|]*)\|([^|]*)\|/m.exec(measured) ?? []
    const sorted = ratios.slice(1).map(Number).sort()
    const [, slowest, fastest] = /^\| import +\| ([\d,]+) to ([\d,]+) \/s/m.exec(measured) ?? []
    const [, memory] = /^\| peak memory at 10⁶ rows of NDJSON +\| (\d+) MB/m.exec(measured) ?? []
    const text = readme.replace(/\s+/g, ' ')
    expect(text).toContain(`${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)} times`)
    expect(text).toContain(`${slowest} to ${fastest} pets per second`)
    expect(text).toContain(`${memory} MB of memory for a million`)
  })
})
