import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endings } from '../../src/failure.ts'
import type { Result } from '../../src/model/results.ts'
import { documentedVariables } from '../../src/settings/table.ts'
import { operationCalls } from '../support/operation-calls.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

type Program = { [Key in keyof Result<'program'>]-?: NonNullable<Result<'program'>[Key]> }

const described: Program = JSON.parse((await runCli(['commands'], { home: '/dev/null' })).stdout)
const named = (name: string) => described.commands.find(command => command.name === name)

describe('petstore commands', () => {
  test('describes the program, its variables and its exit codes', () => {
    expect(Object.keys(described)).toEqual([
      'name',
      'version',
      'options',
      'variables',
      'commands',
      'exitCodes',
      'schemas'
    ])
    expect(described).toMatchObject({
      name: 'petstore',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/)
    })
    expect(described.exitCodes).toEqual(
      endings.map(([code, name, meaning]) => ({ code, name, meaning }))
    )
    expect(described.variables.map(({ name }) => name)).toEqual(
      documentedVariables().map(({ name }) => name)
    )
    expect(Object.keys(described.schemas)).toEqual([
      'error',
      'notice',
      'importRow',
      'importSummary',
      'watchEvent',
      'dryRun'
    ])
  })

  test('describes a command with everything that a caller needs', () => {
    expect(Object.keys(named('pets add') ?? {})).toEqual([
      'name',
      'summary',
      'arguments',
      'options',
      'sharedOptions',
      'changes',
      'exitCodes',
      'output',
      'examples'
    ])
    expect(named('pets add')).toMatchObject({
      summary: 'add one pet',
      sharedOptions: expect.arrayContaining(['--env', '--jq', '--dry-run']),
      exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 130, 143],
      output: { shape: 'object', schema: { required: ['id', 'name', 'categoryId'] } },
      examples: expect.arrayContaining([
        { command: expect.stringMatching(/^petstore /), description: 'add a pet' }
      ])
    })
    expect(named('pets get')).toMatchObject({
      arguments: [{ name: 'id', type: 'integer', required: true, repeatable: false }],
      deprecated: {
        removedOn: '2030-12-05',
        replacement: 'petstore pets list'
      }
    })
    expect(named('pets list')).toMatchObject({
      output: { shape: 'array', schema: { type: 'array' } }
    })
  })

  const text = { type: 'string' }
  const once = { required: false, repeatable: false }
  test.each([
    [undefined, { flags: '-e, --env <environment>', ...text, ...once, default: 'production' }],
    [
      undefined,
      {
        flags: '--retries <count>',
        ...text,
        ...once,
        type: 'integer',
        minimum: 0,
        maximum: 100,
        default: 3
      }
    ],
    [undefined, { flags: '-q, --quiet', ...text, ...once, type: 'boolean' }],
    [
      'pets list',
      { flags: '--limit <count>', ...text, ...once, type: 'integer', minimum: 1, maximum: 100 }
    ],
    [
      'pets list',
      {
        flags: '--watch [seconds]',
        ...text,
        ...once,
        type: 'number',
        minimum: 0.1,
        maximum: 86_400,
        conflictsWith: ['--dry-run']
      }
    ],
    [
      'pets list',
      { flags: '--status <status>', ...text, ...once, choices: ['available', 'pending', 'sold'] }
    ],
    ['pets add', { flags: '--name <name>', ...text, ...once }],
    [
      'pets add',
      {
        flags: '--file <file>',
        ...text,
        ...once,
        conflictsWith: ['--name', '--category-id', '--status']
      }
    ],
    ['serve', { flags: '--fail-with <how>', ...text, ...once, default: '503' }],
    ['serve', { flags: '--data <file>', ...text, ...once }],
    [
      undefined,
      {
        flags: '-o, --output <format>',
        ...text,
        ...once,
        choices: ['table', 'json', 'ndjson', 'csv', 'tsv']
      }
    ],
    ['env set', { flags: '--base-url <url>', ...text, ...once }],
    ['api', { flags: '-F, --field <key=value>', ...text, ...once, repeatable: true }],
    [
      'serve',
      {
        flags: '--port <number>',
        ...text,
        ...once,
        type: 'integer',
        minimum: 0,
        maximum: 65_535,
        default: 4010
      }
    ],
    [
      'serve',
      {
        flags: '--seed <number>',
        ...text,
        ...once,
        type: 'integer',
        minimum: 0,
        maximum: 2 ** 32 - 1
      }
    ]
  ])('describes an option with its type, limits and default: %s %o', (name, option) => {
    const { options } = name === undefined ? described : (named(name) ?? { options: [] })
    const found = options.find(({ flags }) => flags === option.flags)
    expect(found).toEqual({ ...option, description: expect.any(String) })
  })

  test('has defaults in words only in descriptions, and nothing that is null', async () => {
    const { stdout } = await runCli(['commands'])
    expect(stdout).not.toMatch(/: null\b/)
    const seed = named('serve')?.options.find(({ flags }) => flags.startsWith('--seed'))
    expect(seed?.description).toBe(
      'the same seed makes the same requests fail (default: a new one each time)'
    )
    const one = await runCli(['commands', 'pets', 'add'])
    expect(Buffer.byteLength(one.stdout)).toBeLessThanOrEqual(3000)
  })

  test('states what each command changes', () => {
    for (const { command, method } of operationCalls) {
      expect(named(command.replace('petstore ', ''))?.changes, command).toBe(
        method === 'GET' ? 'nothing' : 'service'
      )
    }
    expect([named('pets import')?.changes, named('api')?.changes]).toEqual(['service', 'service'])
    // A command that changes what is saved prints whether it has changed anything.
    for (const { name, changes, output } of described.commands) {
      const { properties = {} } = output.schema as { properties?: object }
      expect(changes === 'machine' && name !== 'serve', name).toBe('changed' in properties)
    }
  })

  test.each([
    ['pets add', ['pets add']],
    ['pets ls', ['pets list']],
    ['messages', ['messages send']],
    ['pets get pets add doctor', ['pets get', 'pets add', 'doctor']],
    ['config get messages', ['config get', 'messages send']]
  ])('describes only the named commands: %s', async (words, names) => {
    const { code, stdout } = await runCli(['commands', ...words.split(' ')])
    expect(code).toBe(0)
    const { commands, ...head } = JSON.parse(stdout)
    expect(head).toEqual({ name: 'petstore', version: described.version })
    expect(commands).toEqual(names.map(named))
  })

  test.each(['nothing', 'pets nothing', 'pets add nothing'])(
    'refuses an unknown command: %s',
    async words => {
      const { code, stderr } = await runCli(['commands', ...words.split(' ')])
      expect(code).toBe(2)
      expect(JSON.parse(stderr).error.message).toBe("no command is named 'nothing'")
    }
  )

  test('works with a broken config file', async () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, '.config', 'petstore'), { recursive: true })
    writeFileSync(join(home, '.config', 'petstore', 'config.json'), '{')
    expect((await runCli(['commands', '--jq', '.name'], { home })).stdout).toBe('petstore\n')
  })

  test('is one line as ndjson, and indented JSON otherwise', async () => {
    const { stdout } = await runCli(['commands', 'pets'])
    const line = await runCli(['commands', 'pets', '-o', 'ndjson'])
    expect(line.stdout.split('\n')).toHaveLength(2)
    expect(stdout.split('\n').length).toBeGreaterThan(100)
    expect(JSON.parse(line.stdout)).toEqual(JSON.parse(stdout))
    for (const format of ['json', 'csv', 'table'])
      expect((await runCli(['commands', 'pets', '-o', format])).stdout).toBe(stdout)
    expect((await runCli(['commands', 'pets', '--no-color'], { terminal: true })).stdout).toBe(
      stdout
    )
  })
})
