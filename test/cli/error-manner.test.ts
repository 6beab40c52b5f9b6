import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readArgv } from '../../src/cli/argv.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { commandPath, leavesOf } from '../../src/cli/tree.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Command lines that are wrong in every way that there is. */
const wrong = [
  'pets list --limit x',
  'pets list --colour',
  'pets lst',
  'lst',
  'pets list extra',
  'pets list --status',
  'pets list --status lost',
  'pets get',
  'pets get seven',
  'pets add',
  'pets add --name Rex',
  'pets list --fields age',
  'pets list --jq .[',
  'auth token --jq .',
  'pets list --env nowhere',
  'api GET pets',
  'help nothing',
  'pets list --limit x --',
]

const isJson = (stderr: string) => {
  const lines = stderr.trimEnd().split('\n')
  return lines.every((line) => line.startsWith('{') && 'error' in JSON.parse(line))
}

async function stderrOf(argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) {
  const { code, stdout, stderr } = await runCli(argv, options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  return stderr
}

describe.each(wrong)('petstore %s', (line) => {
  const argv = line.split(' ')
  const flagged = argv.at(-1) === '--' ? argv.slice(0, -1) : argv
  const inTerminal = { terminal: { stdout: true } }

  test('is told as JSON where data would be JSON', async () => {
    expect(isJson(await stderrOf(argv))).toBe(true)
    expect(isJson(await stderrOf(argv, { ...inTerminal, env: { PETSTORE_OUTPUT: 'json' } }))).toBe(true)
    expect(isJson(await stderrOf(argv, { ...inTerminal, env: { PETSTORE_OUTPUT: 'ndjson' } }))).toBe(true)
  })

  test('is told in words where it would not', async () => {
    expect(await stderrOf(argv, { env: { PETSTORE_OUTPUT: 'csv' } })).toMatch(
      line.includes('--jq') ? /error/ : /^error: /,
    )
    expect(await stderrOf(argv, { terminal: true, env: { PETSTORE_OUTPUT: 'json', NO_COLOR: '1', CI: '1' } })).toMatch(
      /^error: /,
    )
    if (!line.includes('--jq')) expect(await stderrOf(argv, inTerminal)).toMatch(/^error: /)
  })

  test('is told as JSON where an option asks for it, before and after the mistake', async () => {
    // What takes no format is wrong with one as well, and is told in its manner.
    for (const option of [['--json'], ['-o', 'json'], ['-ojson'], ['--output=ndjson']]) {
      if (line.includes('--jq') && option[0] === '--output=ndjson') continue
      expect(isJson(await stderrOf([...option, ...flagged], inTerminal))).toBe(true)
      expect(isJson(await stderrOf([...flagged, ...option], inTerminal))).toBe(true)
    }
  })
})

test('a format that is kept counts too, and a file that can not be read leaves the rest in force', async () => {
  const home = temporaryDirectory()
  const env = { PETSTORE_CONFIG_DIR: home }
  const terminal = { stdout: true }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ version: 1, preferences: { output: 'json' } }))
  expect(isJson(await stderrOf(['pets', 'lst'], { env, terminal }))).toBe(true)
  writeFileSync(join(home, 'config.json'), '{')
  expect(await stderrOf(['pets', 'lst'], { env, terminal })).toMatch(/^error: /)
  expect(isJson(await stderrOf(['pets', 'lst'], { env: { ...env, PETSTORE_OUTPUT: 'json' }, terminal }))).toBe(true)
  expect(isJson(await stderrOf(['pets', 'lst', '--json'], { env, terminal }))).toBe(true)
})

test('a fault is told as JSON too, its stack only with --verbose', async () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'config.json'), '{')
  const env = { PETSTORE_CONFIG_DIR: home }
  const quiet = await runCli(['pets', 'list'], { env })
  expect(Object.keys(JSON.parse(quiet.stderr).error)).toEqual(['code', 'message', 'exitCode', 'hint', 'retryable'])
  const verbose = await runCli(['pets', 'list', '-v'], { env })
  expect(JSON.parse(verbose.stderr).error.stack).toContain('    at ')
})

test.each<[env: Record<string, string>, isPainted: boolean]>([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '1', PETSTORE_OUTPUT: 'xml' }, false],
])('a config that can not be read is told in colour unless %j says otherwise', async (env, isPainted) => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'config.json'), '{')
  const run = await runCli(['env', 'list'], { env: { ...env, PETSTORE_CONFIG_DIR: home }, terminal: true })
  expect(run.code).toBe(9)
  expect(run.stderr.includes('\u001b[')).toBe(isPainted)
})

describe('letters of options together are read as commander reads them', () => {
  test.each<[letters: string[], isJsonWanted: boolean]>([
    [['-qo', 'table'], false],
    [['-qotable'], false],
    [['-vo', 'table'], false],
    [['-qo', 'json'], true],
    [['-qojson'], true],
    [['-vojson'], true],
    [['-qe', 'local', '-o', 'csv'], false],
  ])('%j', async (letters, isJsonWanted) => {
    const argv = ['pets', 'list', ...letters, '--limit', 'x']
    const terminal = { stdout: isJsonWanted }
    expect(isJson(await stderrOf(argv, { terminal }))).toBe(isJsonWanted)
  })
})

test('this reader of argv and commander agree on every command line that is right', () => {
  const words = fc.constantFrom(
    '-q',
    '-v',
    '-e',
    '-elocal',
    '-qe',
    '--env',
    '--env=local',
    'local',
    '-o',
    'json',
    '-ojson',
  )
  const more = fc.constantFrom(
    '--limit',
    '5',
    '--limit=7',
    '--watch',
    '--watch=2',
    '--status',
    'sold',
    '--no-color',
    '--',
  )
  const line = fc.array(fc.oneof(words, more), { maxLength: 8 })
  fc.assert(
    fc.property(line, (rest) => {
      const argv = ['pets', 'list', ...rest]
      const program = buildProgram('0.0.0')
      const leaf = leavesOf(program).find((command) => commandPath(command) === 'petstore pets list')
      let isRight = false
      leaf?.action(() => {
        isRight = true
      })
      try {
        program.parse(argv, { from: 'user' })
      } catch {
        return
      }
      const values: Record<string, unknown> = {}
      for (const { option, value } of readArgv(program, argv).options) values[option.attributeName()] = value
      const expected = { ...program.opts(), ...leaf?.opts() } as Record<string, unknown>
      expect(isRight).toBe(true)
      for (const name of ['env', 'output', 'status'] as const) expect(values[name]).toBe(expected[name])
      expect('quiet' in values).toBe(expected.quiet === true)
      expect(values.limit === undefined ? undefined : Number(values.limit)).toBe(expected.limit)
    }),
    { numRuns: 300 },
  )
})
