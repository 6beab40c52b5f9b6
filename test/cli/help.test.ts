import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { optionEntry } from '../../src/cli/help.ts'
import { renderPage, type Section } from '../../src/cli/page.ts'
import { program } from '../../src/cli/program.ts'
import { helpTopics } from '../../src/cli/topics.ts'
import { commandName, isGroup, leavesOf, walkTree } from '../../src/cli/tree.ts'
import { endings } from '../../src/failure.ts'
import { formatNames, formats } from '../../src/output/formats.ts'
import { documentedVariables, preferenceNames } from '../../src/settings/table.ts'
import { allOf } from '../../src/settings/value-types.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const paths = walkTree(program).map(commandName)
const wordsOf = (path: string) => path.split(' ').filter(word => word !== '')

describe('help for a command', () => {
  test.each(paths)('petstore %s: --help, -h and help print the same page', async path => {
    const pages = await Promise.all(
      [
        [...wordsOf(path), '--help'],
        ['-h', ...wordsOf(path)],
        ['help', ...wordsOf(path)]
      ].map(argv => runCli(argv))
    )
    const [first] = pages
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(pages).toEqual([first, first, first])
    expect(first?.stdout).toContain(`Usage:\n  petstore${path && ' '}${path}`)
  })

  test('an alias has the page of its command', async () => {
    expect(await runCli(['pets', 'ls', '--help'])).toEqual(await runCli(['pets', 'list', '--help']))
    expect(await runCli(['help', 'pets', 'ls'])).toEqual(await runCli(['pets', 'list', '--help']))
  })

  test.each([
    'pets add --help --limit x',
    'pets add --category-id x -h',
    '--env pets pets add --name help -h',
    '-qh pets add',
    'pets add -hi',
    '-e local pets add -oxml -h',
    '--help pets add',
    'pets --help add --bogus',
    'pets add too many -h'
  ])('petstore %s: prints the help of pets add, whatever else is in the line', async line => {
    expect(await runCli(line.split(' '))).toEqual(await runCli(['pets', 'add', '--help']))
  })

  test('is not printed for an option after --', async () => {
    expect((await runCli(['messages', 'send', '--', '--help'])).stdout).not.toContain('Usage:')
  })

  test('works with a broken config file', async () => {
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

describe('a group alone', () => {
  test.each(
    walkTree(program)
      .filter(command => isGroup(command))
      .map(commandName)
  )('petstore %s prints its help on stdout and exits with 0', async path => {
    const env = { PETSTORE_ENV: 'local' }
    const alone = await runCli(wordsOf(path), { env })
    expect(alone).toMatchObject({ code: 0, stderr: '' })
    expect(alone).toEqual(await runCli([...wordsOf(path), '--help'], { env }))
  })
})

describe('with nothing configured', () => {
  test('petstore alone shows on one screen how to start: without set-up, with a login, and with help', async () => {
    const { code, stdout, stderr } = await runCli([], {
      env: { PETSTORE_CONFIG_DIR: temporaryDirectory() }
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Get started:\n {2}#.*\n {2}petstore pets list --env local\n {2}#.*\n {2}petstore auth login .*\n {2}#.*\n {2}petstore help\n/
    )
    for (const { name } of program.commands.map(command => ({ name: command.name() }))) {
      if (!name.startsWith('__')) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    }
    expect(stdout).toMatch(/^agents: petstore help agents$/m)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.filter(line => line.length > 80)).toEqual([])
  })

  test.each([[['--help']], [['help']], [['pets']]])('%j prints only help', async argv => {
    expect((await runCli(argv)).stdout).not.toContain('Get started')
  })

  test('a variable or a saved setting counts as configuration', async () => {
    expect(
      (await runCli([], { env: { PETSTORE_API_KEY: 'sk_test_12345678' } })).stdout
    ).not.toContain('Get started')
    const home = temporaryDirectory()
    await runCli(['env', 'use', 'local'], { home })
    expect((await runCli([], { home })).stdout).not.toContain('Get started')
  })
})

describe('topics', () => {
  test('have these names, in this order', () => {
    const names = [
      'options',
      'environment',
      'exit-codes',
      'formats',
      'import',
      'security',
      'agents'
    ]
    expect(helpTopics().map(topic => topic.name)).toEqual(names)
  })

  test.each(helpTopics())('$name has a page and is listed in petstore --help', async ({ name }) => {
    const { code, stdout, stderr } = await runCli(['help', name])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.length).toBeGreaterThan(400)
    expect((await runCli(['--help'])).stdout).toContain(`  help ${name} `)
  })

  /** The tables of the program that topics repeat: a page has them as they would be rendered. */
  test.each<[name: string, table: Section]>([
    ['options', { heading: 'Options', entries: program.options.map(optionEntry) }],
    [
      'environment',
      {
        heading: 'Variables',
        entries: documentedVariables().map(({ name, about }) => [name, about])
      }
    ],
    [
      'exit-codes',
      {
        heading: 'Exit codes',
        entries: endings.map(([code, name, meaning]) => [`${code} ${name}`, meaning])
      }
    ],
    [
      'formats',
      {
        heading: 'Formats',
        entries: [
          ...formatNames.map(name => [name, formats[name].description] as const),
          // The width of the terms on this page.
          ['--fields id,name', '']
        ]
      }
    ]
  ])('%s has the table of the program', async (name, table) => {
    const { stdout } = await runCli(['help', name])
    expect(stdout).toContain(renderPage([table], 80).replace(/\n {2}--fields id,name +$/, ''))
  })

  test('options names every setting that can be saved', async () => {
    const { stdout } = await runCli(['help', 'options'])
    expect(stdout.replaceAll('\n', ' ')).toContain(`config set saves ${allOf(preferenceNames)};`)
  })

  test.each(helpTopics())('$name fits 80 columns, apart from its commands', ({ name, page }) => {
    const isCommand = (line: string) => name === 'agents' || /^ {2}petstore /.test(line)
    const tooWide = page.split('\n').filter(line => line.length > 80 && !isCommand(line))
    expect(tooWide).toEqual([])
  })

  test('agents is a skill: Markdown with front matter, without escapes in a terminal', async () => {
    const { stdout } = await runCli(['help', 'agents'], { terminal: true })
    expect(stdout.split('\n').length).toBeLessThanOrEqual(151)
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(9200)
    expect(stdout).toMatch(
      /^---\nname: petstore\ndescription: >-\n {2}Use the petstore .*\n(?: {2}.*\n)+---\n\n# petstore\n/
    )
    expect(stdout).not.toContain('\u001b')
  })
})

const pageOf = async (...words: readonly string[]) => (await runCli([...words, '--help'])).stdout
const headingsOf = (page: string) =>
  [...page.matchAll(/^(\S.*?)(?: \(petstore help .*\))?:$/gm)].map(([, heading]) => heading)

describe('the page of petstore', () => {
  test('groups the commands', async () => {
    const page = await pageOf()
    const lists = page.split('\n\n').filter(part => /^\S.*:\n {2}[a-z]+ {2,}[a-z]/.test(part))
    const named = lists.map(part => [
      part.split(':')[0],
      part.match(/^ {2}(help \S+|\S+)/gm)?.map(name => name.trim())
    ])
    expect(named).toEqual([
      ['Pets and messages', ['pets', 'messages']],
      ['Environments and keys', ['env', 'auth', 'config']],
      ['Scripting', ['api', 'commands', 'completion']],
      ['Local service', ['serve']],
      ['More', ['doctor', 'help']]
    ])
  })
})

describe('the page of a command', () => {
  test.each(leavesOf(program).map(commandName))(
    'petstore %s: its own options and examples come before the shared options and the exit codes',
    async path => {
      const headings = headingsOf(await pageOf(...wordsOf(path)))
      const order = [
        'Usage',
        'Arguments',
        'Options',
        'Fields',
        'Examples',
        'Shared options',
        'Exit codes'
      ]
      expect(headings).toEqual(order.filter(heading => headings.includes(heading)))
      expect(headings).toEqual(
        expect.arrayContaining(['Usage', 'Examples', 'Shared options', 'Exit codes'])
      )
    }
  )

  test('explains its own options and only names the shared ones', async () => {
    const page = await pageOf('pets', 'list')
    const [own = '', shared = ''] = page.split('Shared options (petstore help options):')
    expect(own).toContain('Fields (petstore help formats):\n  id, name, categoryId, status\n')
    expect(own).toMatch(/\n {2}--status <status> +only pets with this status/)
    expect(own).not.toMatch(/--timeout|--help/)
    expect(shared).toContain('\n  --env, --output, --json, --fields, --jq,')
  })

  test.each(['pets list', 'pets add', 'auth token', 'commands'])(
    '%s: names exactly the shared options that the command accepts',
    async path => {
      const words = wordsOf(path)
      const shared = (await pageOf(...words)).split('Shared options')[1]?.split('\n\n')[0] ?? ''
      for (const flag of ['--timeout 1', '--json', '--env local', '--fields id', '--jq .']) {
        const [name = ''] = flag.split(' ')
        const { code, stderr } = await runCli([...words, ...flag.split(' ')])
        const isRefused = code === 2 && stderr.includes(`${name} `)
        expect({ words, flag, isNamed: shared.includes(name) }).toEqual({
          words,
          flag,
          isNamed: !isRefused
        })
      }
    }
  )

  test('lists only exit codes that the command can return', async () => {
    const codesOf = async (...words: string[]) => (await pageOf(...words)).split('Exit codes')[1]
    expect(await codesOf('pets', 'add')).toContain('10 in-doubt')
    expect(await codesOf('pets', 'list')).not.toContain('in-doubt')
    expect(await codesOf('pets', 'list')).toContain('4 auth')
    expect(await codesOf('auth', 'token')).toContain('4 auth')
    expect(await codesOf('env', 'use')).not.toMatch(/auth|service|rejected/)
  })
})

test('no page contains the words animal, keep, colour, whoever or address', async () => {
  const pages = [...paths, 'options', 'environment', 'formats', 'import', 'security', 'agents']
  for (const page of pages) {
    const { stdout } = await runCli(['help', ...wordsOf(page)])
    expect({
      page,
      found: stdout.match(/animals?|\bkept\b|\bkeeps?\b|colour|whoever|address(?!.* to listen)/gi)
    }).toEqual({
      page,
      found: null
    })
  }
})
