import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics/index.ts'
import { leavesOf, pathBelow, walkTree } from '../../src/cli/tree.ts'
import type { AnyCommand } from '../../src/commands/declare.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const program: AnyCommand = buildProgram('0.0.0')
const paths = walkTree(program).map(pathBelow)
const wordsOf = (path: string) => path.split(' ').filter((word) => word !== '')

describe('help on a command', () => {
  test.each(paths)('%s: the same page by --help, by -h and by help', async (path) => {
    const pages = await Promise.all(
      [
        [...wordsOf(path), '--help'],
        ['-h', ...wordsOf(path)],
        ['help', ...wordsOf(path)],
      ].map((argv) => runCli(argv)),
    )
    const [first] = pages
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(pages).toEqual([first, first, first])
    expect(first?.stdout).toContain(`Usage:\n  petstore${path && ' '}${path}`)
    expect(first?.stdout).toContain('\nExamples:\n  # ')
  })

  test.each(leavesOf(program).map(pathBelow))('%s: tells its own options and how it can end', async (path) => {
    const { stdout } = await runCli([...wordsOf(path), '--help'])
    expect(stdout).toMatch(/\nOptions:\n(?: {2}.*\n)* {2}-h, --help /)
    expect(stdout).toMatch(/\nExit codes:\n {2}0 ok, 1 unexpected, 2 usage,/)
  })

  test.each([['pets', 'list'], ['pets', 'add'], ['auth', 'token'], ['commands']])(
    '%s %s: nothing that it refuses',
    async (...path) => {
      const words = path.filter((word) => word !== undefined)
      const command = walkTree(program).find((candidate) => pathBelow(candidate) === words.join(' '))
      if (command === undefined) return
      const { stdout } = await runCli([...words, '--help'])
      const shared = stdout.split('Options of every command:')[1]?.split('\n\n')[0] ?? ''
      for (const flag of ['--timeout <seconds>', '--json', '--env <environment>']) {
        const [name = '', value] = flag.split(' ')
        const { stderr } = await runCli([...words, name, ...(value ? ['1'] : [])])
        expect({ flag, isShown: shared.includes(flag) }).toEqual({ flag, isShown: !stderr.includes('means nothing') })
      }
    },
  )

  test('only what changes things can be in doubt, only what asks the service can be refused', async () => {
    const codesOf = async (...words: string[]) => (await runCli([...words, '--help'])).stdout.split('Exit codes:')[1]
    expect(await codesOf('pets', 'add')).toContain('10 in-doubt')
    expect(await codesOf('pets', 'list')).not.toContain('in-doubt')
    expect(await codesOf('pets', 'list')).toContain('4 auth')
    expect(await codesOf('auth', 'token')).toContain('4 auth')
    expect(await codesOf('env', 'use')).not.toMatch(/auth|service|rejected/)
  })

  test.each([
    ['pets', 'add', '--help', '--limit', 'x'],
    ['pets', 'add', '--category-id', 'x', '-h'],
    ['--env', 'pets', 'pets', 'add', '--name', 'help', '-h'],
    ['-qh', 'pets', 'add'],
    ['-e', 'local', 'pets', 'add', '-oxml', '-h'],
    ['--help', 'pets', 'add'],
    ['pets', '--help', 'add', '--bogus'],
    ['pets', 'add', 'too', 'many', '-h'],
  ])('comes whatever else is typed: %s %s %s %s %s %s %s', async (...argv) => {
    const typed = argv.filter((word) => word !== undefined)
    expect(await runCli(typed)).toEqual(await runCli(['pets', 'add', '--help']))
  })

  test.each([[['messages', 'send', '--', '--help']], [['messages', 'send', '--env=local', '-e', '-h']]])(
    'is not asked for by %j',
    async (argv) => {
      expect((await runCli(argv)).stdout).not.toContain('Usage:')
    },
  )

  test('comes with a config file that nobody can read', async () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, 'petstore'))
    writeFileSync(join(home, 'petstore', 'config.json'), '{')
    const env = { PETSTORE_CONFIG_DIR: join(home, 'petstore') }
    for (const argv of [[], ['pets'], ['pets', '--help'], ['help', 'security'], ['--version']]) {
      expect(await runCli(argv, { env, terminal: true })).toMatchObject({ code: 0, stderr: '' })
    }
    expect((await runCli(['env', 'list'], { env })).code).toBe(9)
  })
})

describe('every page', () => {
  /** A word that is wider than the terminal can't be broken, and neither can what stands in quotes. */
  const wordsIn = (line: string) =>
    line
      .replace(/^\s*(# )?/, '')
      .replace(/ \\$/, '')
      .match(/(?:'[^']*'|"[^"]*"|\S)+/g)
  const isOneWord = (line: string) => wordsIn(line)?.length === 1
  const pages = [...paths, ...topics.map(({ name }) => name)]

  test.each([20, 27, 40, 57, 80, 132, 300])('fits a terminal of %i columns', async (columns) => {
    for (const page of pages) {
      const { stdout } = await runCli(['help', ...wordsOf(page)], { columns })
      const tooWide = stdout.split('\n').filter((line) => line.length > columns && !isOneWord(line))
      expect({ page, tooWide }).toEqual({ page, tooWide: [] })
      expect(stdout).not.toMatch(/[ \t]$|\(\)|undefined/m)
    }
  })

  test('uses the room that there is', async () => {
    const [narrow, wide] = await Promise.all([80, 300].map((columns) => runCli(['--help'], { columns })))
    expect(wide?.stdout.split('\n').length).toBeLessThan(narrow?.stdout.split('\n').length ?? 0)
  })

  test('has headings in bold in a terminal, and no escapes elsewhere', async () => {
    const heading = '\u001b[1mUsage:'
    expect((await runCli(['pets', '--help'], { terminal: true })).stdout).toContain(heading)
    expect((await runCli(['help', 'pets'], { terminal: true })).stdout).toContain(heading)
    expect((await runCli(['pets'], { terminal: true })).stdout).toContain(heading)
    for (const [argv, env, terminal] of [
      [['pets', '-h'], {}, false],
      [['pets', '-h', '--no-color'], {}, true],
      [['pets', '-h', '--color', 'never'], {}, true],
      [['pets', '-h'], { NO_COLOR: '1' }, true],
    ] as const) {
      expect((await runCli(argv, { env, terminal })).stdout).not.toContain('\u001b')
    }
  })
})

describe('a group alone', () => {
  test.each(
    walkTree(program)
      .filter((command) => command.commands.length > 0)
      .map(pathBelow),
  )('petstore %s prints its help on stdout and ends with 0', async (path) => {
    const env = { PETSTORE_ENV: 'local' }
    const alone = await runCli(wordsOf(path), { env })
    expect(alone).toMatchObject({ code: 0, stderr: '' })
    expect(alone).toEqual(await runCli([...wordsOf(path), '--help'], { env }))
  })
})

describe('the first start', () => {
  const opening = /^Three ways to start:\n(.*\n)*?.*pets list --env local\n(.*\n)*?.*auth login(.*\n)*?.*petstore help/

  test('petstore alone begins with the three ways to start', async () => {
    const { code, stdout, stderr } = await runCli([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(opening)
    expect(stdout).toContain('Usage:\n  petstore <command>')
  })

  test.each([[['--help']], [['help']], [['pets']]])('not in the help that is asked for: %j', async (argv) => {
    expect((await runCli(argv)).stdout).not.toMatch(opening)
  })

  test('not where something is set up', async () => {
    expect((await runCli([], { env: { PETSTORE_API_KEY: 'sk_test_12345678' } })).stdout).not.toMatch(opening)
    const home = temporaryDirectory()
    await runCli(['env', 'use', 'local'], { home })
    expect((await runCli([], { home })).stdout).not.toMatch(opening)
  })
})

describe('topics', () => {
  test.each(['environment', 'exit-codes', 'formats', 'import', 'security'])('%s is one', (name) => {
    expect(topics.map((topic) => topic.name)).toContain(name)
  })

  test.each(topics)('$name has a page of its own', async ({ name }) => {
    const { code, stdout, stderr } = await runCli(['help', name])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.length).toBeGreaterThan(400)
    expect((await runCli(['--help'])).stdout).toContain(`  help ${name} `)
  })
})

describe('what is misspelt', () => {
  test.each([
    [['pets', 'lst'], 'did you mean list?', 'petstore pets list --help'],
    [['pest', 'list'], 'did you mean pets?', 'petstore pets --help'],
    [['list'], 'did you mean pets list?', 'petstore pets list --help'],
    [['pets', 'login'], 'did you mean auth login?', 'petstore auth login --help'],
    [['pets', 'lst', '--help'], 'did you mean list?', 'petstore pets list --help'],
    [['--help', 'pets', 'lst'], 'did you mean list?', 'petstore pets list --help'],
    [['--env', 'local', 'pets', 'lst', '--limit', '5'], 'did you mean list?', 'petstore pets list --help'],
    [['frobnicate'], "unknown command 'frobnicate'", 'petstore --help'],
    [['pets', 'list', '--stauts=sold'], 'did you mean --status?', 'petstore pets list --help'],
    [['pets', 'list', '--jsn'], 'did you mean --json?', 'petstore pets list --help'],
    [['--enw', 'local', 'pets', 'list'], 'did you mean --env?', 'petstore --help'],
    [['pets', '--quite'], 'did you mean --quiet?', 'petstore pets --help'],
    [['pets', 'list', '-limit', '5'], 'did you mean --limit?', 'petstore pets list --help'],
    [['pets', 'list', '--output', 'jsno'], 'Allowed choices are table, json', 'petstore pets list --help'],
    [['help', 'pets', 'lst'], "did you mean 'pets list'?", 'petstore help pets list'],
    [['help', 'exitcodes'], "did you mean 'exit-codes'?", 'petstore help exit-codes'],
    [['help', 'completion', 'zsh'], "did you mean 'completion'?", 'petstore help completion'],
    [['--', 'pets', 'lst'], 'did you mean list?', 'petstore pets list --help'],
    [['help', 'frobnicate'], "no command or topic 'frobnicate'", 'petstore help'],
  ])('%j', async (argv, words, hint) => {
    const { code, stdout, stderr } = await runCli(argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const { error } = JSON.parse(stderr)
    expect(error.message).toContain(words)
    expect(error.hint).toBe(hint)
    const [, ...hinted] = hint.split(' ')
    expect((await runCli(hinted)).code).toBe(0)
  })
})
