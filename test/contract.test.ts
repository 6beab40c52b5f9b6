import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { topics } from '../src/cli/topics/index.ts'
import { variables } from '../src/cli/variables.ts'
import { runCli } from './support/run-cli.ts'
import { testTitles, titlesIn } from './support/test-titles.ts'

interface Description {
  readonly options: readonly { flags: string }[]
  readonly commands: readonly { name: string; options: readonly { flags: string }[] }[]
  readonly exitCodes: readonly { code: number; name: string; meaning: string }[]
}

const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
const description: Description = JSON.parse((await runCli(['commands'], { home: '/dev/null' })).stdout)
const titles = testTitles()

const options = [...description.options, ...description.commands.flatMap((command) => command.options)].map(
  ({ flags }) => flags.match(/--?[a-zA-Z][\w-]*/g) ?? [],
)
const forms = new Map(options.map((names) => [names.join(', '), names]))
/** What the README names of npm and of the programs that it compares this one with. */
const optionsOfOthers = ['--api-key']

const escaped = (text: string) => text.replace(/[\\^$*+?.()|[\]{}]/g, '\\$&')
const isNamed = (name: string) => {
  const pattern = new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`)
  return titles.some((title) => pattern.test(title))
}

/** Whoever promises something names a test after it: in its title, or in a row of its table. */
describe('a test is named after', () => {
  test.each(description.commands.map(({ name }) => name))('the command %s', (name) => {
    expect(isNamed(name)).toBe(true)
  })

  test.each([...forms])('the option %s', (_, names) => {
    expect(names.some(isNamed)).toBe(true)
  })

  test.each(variables.map(({ name }) => name))('the variable %s', (name) => {
    expect(isNamed(name)).toBe(true)
  })

  test.each(description.exitCodes.map(({ code, name }) => [code, name]))('the exit code %i, %s', (code, name) => {
    expect(isNamed(String(code)) && isNamed(String(name))).toBe(true)
  })

  test.each(topics.map(({ name }) => name))('the topic %s', (name) => {
    expect(isNamed(name)).toBe(true)
  })
})

describe('the README', () => {
  const code = [...readme.matchAll(/`([^`\n]+)`|^```sh\n(.*?)^```$/gms)].map(
    ([, inline, block]) => inline ?? block ?? '',
  )

  test('names every exit code as the program does', () => {
    const rows = [...readme.matchAll(/^\| (\d+) +\| ([\w-]+) +\| (.+?) +\|$/gm)].map(([, number, name, meaning]) => ({
      code: Number(number),
      name,
      meaning,
    }))
    expect(rows).toEqual(description.exitCodes)
  })

  test('names every variable, and none that there is not', () => {
    const named = [
      ...new Set(readme.match(/\b(PETSTORE_[A-Z_]+|[A-Z]+_PROXY|NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR)\b/g)),
    ]
    expect(named.concat('CI').sort()).toEqual(variables.map(({ name }) => name).sort())
  })

  test('names every command, and no option that there is not', () => {
    const missing = description.commands.filter(({ name }) => !code.some((text) => text.includes(`petstore ${name}`)))
    expect(missing.map(({ name }) => name)).toEqual([])
    const known = new Set([...options.flat(), ...optionsOfOthers])
    const named = code.flatMap((text) => (/curl/.test(text) ? [] : (text.match(/--[a-z][\w-]*/g) ?? [])))
    expect(named.filter((flag) => !known.has(flag))).toEqual([])
  })
})

test('titles are read as vitest makes them', () => {
  const text = `
    const rows = [[['pets', 'list'], 2, 'usage']] as const
    describe('an option', () => {
      test.each(rows)('%j', () => expect('pets get').toBe('--limit'))
      needs('tmux')('in a terminal', () => {})
      test.concurrent.for([{ line: 'petstore help' }])(\`row \${1} of them\`, () => {})
    })`
  expect(titlesIn('test/made-up.test.ts', text).sort()).toEqual(
    [
      '2',
      '%j',
      'an option',
      'in a terminal',
      'list',
      'petstore help',
      'pets',
      'pets list',
      'row … of them',
      'usage',
    ].sort(),
  )
})
