import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { declaredOptions, sharedOptions } from '../../src/cli/shared-options.ts'
import { commandName, leavesOf, walkTree } from '../../src/cli/tree.ts'
import { endings } from '../../src/failure.ts'
import { formats } from '../../src/output/formats.ts'
import { runCli } from '../support/run-cli.ts'
import { variableNames } from '../support/variables.ts'

const paths = walkTree(program).map(commandName)
const wordsOf = (path: string) => path.split(' ').filter(word => word !== '')
const pageOf = async (...words: string[]) => {
  const { code, stdout, stderr } = await runCli(words)
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
  return stdout
}

describe('the page of a command', () => {
  test.each(paths)('petstore %s: has at most 40 lines of 80 columns', async path => {
    const words = wordsOf(path)
    const page = await pageOf(...words, '--help')
    const lines = page.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    const isExample = (line: string) => line.startsWith('  petstore ')
    expect(lines.filter(line => line.length > 80 && !isExample(line))).toEqual([])
    expect(await pageOf(...words, '-h')).toBe(page)
    expect(await pageOf('help', ...words)).toBe(page)
  })

  test('is printed by the program and by a group alone', async () => {
    expect(await pageOf('pets')).toBe(await pageOf('pets', '--help'))
    expect(await pageOf()).toBe(await pageOf('--help'))
  })

  test('has its own options and examples before what commands share', async () => {
    const page = await pageOf('pets', 'list', '--help')
    const headings = [...page.matchAll(/^([A-Z].*?)(?: \(.*\))?:/gm)].map(([, heading]) => heading)
    const order = ['Usage', 'Options', 'Examples', 'Fields', 'Shared options']
    expect(headings).toEqual(order)
    expect(page).toMatch(/\n {2}--status <status> +only pets with this status/)
    expect(page).toContain('Shared options (petstore help options): --env, --output, --json,')
  })

  test.each(['pets list', 'pets add', 'auth token', 'commands'])(
    '%s: names exactly the shared options that the command takes',
    async path => {
      const shared = (await pageOf(...wordsOf(path), '--help')).split('Shared options')[1] ?? ''
      for (const flag of ['--timeout', '--json', '--env', '--fields', '--jq', '--dry-run']) {
        const { stderr } = await runCli([...wordsOf(path), flag, ...argumentOf(flag)])
        const isTaken = !stderr.includes(`${flag} has no effect`)
        expect({ flag, isNamed: shared.includes(flag) }).toEqual({ flag, isNamed: isTaken })
      }
    }
  )
})

const argumentOf = (flag: string) => (/json|dry/.test(flag) ? [] : ['1'])

test('every command takes the options about output and prompts', () => {
  const flags = '--output --json --quiet --verbose --color --no-color --no-input'.split(' ')
  const taken = leavesOf(program).map(leaf => sharedOptions(leaf).map(({ long }) => long))
  for (const flagsOfOne of taken) expect(flagsOfOne).toEqual(expect.arrayContaining(flags))
})

test.each(['-V', '--version'])('%s prints the version alone', async flag => {
  expect(await pageOf(flag)).toMatch(/^\d+\.\d+\.\d+\n$/)
})

describe('the first page', () => {
  test('fits a screen, begins with ways to start, and names every command and topic', async () => {
    const page = await pageOf()
    const lines = page.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(page).toMatch(
      /^Get started:\n {2}petstore pets list --env local .*\n {2}petstore auth login /
    )
    const names = leavesOf(program).map(leaf => commandName(leaf).split(' ')[0])
    expect(names.filter(name => !page.includes(`\n  ${name} `))).toEqual([])
    expect(lines.at(-1)).toBe(
      'petstore help TOPIC: environment, exit-codes, formats, import, options, agents'
    )
  })
})

describe('topics', () => {
  test.each<[topic: string, parts: readonly string[]]>([
    ['exit-codes', endings.map(([code, name, meaning]) => `${code} ${name} ${meaning}`)],
    ['formats', Object.entries(formats).map(([name, { description }]) => `${name} ${description}`)],
    ['import', ['added', 'skipped', 'rejected', 'invalid', 'doubtful']],
    ['options', declaredOptions.map(({ flags, description }) => `${flags} ${description}`)]
  ])('%s has what the program knows', async (topic, parts) => {
    const page = await pageOf('help', topic)
    const text = page.replace(/\s+/g, ' ')
    expect(parts.filter(part => !text.includes(part))).toEqual([])
    const isExample = (line: string) => /^ {2}(petstore|cat) /.test(line)
    expect(page.split('\n').filter(line => line.length > 80 && !isExample(line))).toEqual([])
    expect(page).not.toMatch(/^\{.*\}$/m)
  })

  test('environment has every variable once, and no other', async () => {
    const page = await pageOf('help', 'environment')
    const [, table = ''] = /\nVariables:\n(.*)\nExamples:/s.exec(page) ?? []
    const named = table.match(/\b[A-Z][A-Z_]{4,}\b|\bCI\b/g) ?? []
    expect(named.sort()).toEqual([...variableNames].sort())
  })

  test('exit-codes shows an error as JSON', async () => {
    expect(await pageOf('help', 'exit-codes')).toContain('{"error":{"code":"auth","message":')
  })

  test('agents is a skill of at most 120 lines', async () => {
    const page = await pageOf('help', 'agents')
    expect(page).toMatch(/^---\nname: petstore\ndescription: >-\n {2}Use the petstore .*\n/)
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
  })
})
