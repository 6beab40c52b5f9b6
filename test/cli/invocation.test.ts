import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseArgv } from '../../src/cli/parse.ts'
import { program } from '../../src/cli/program.ts'
import { effectiveOptions } from '../../src/cli/shared-options.ts'
import { commandName, leavesOf } from '../../src/cli/tree.ts'
import { examplesIn } from '../../src/commands/declare.ts'
import { plainCommands } from '../support/examples.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** One command line for each kind of usage error. */
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
  'pets list --limit x --'
]

const isJson = (stderr: string) => {
  const lines = stderr.trimEnd().split('\n')
  return lines.every(line => line.startsWith('{') && 'error' in JSON.parse(line))
}

async function stderrOf(argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) {
  const { code, stdout, stderr } = await runCli(argv, options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  return stderr
}

describe.each(wrong)('petstore %s', line => {
  const argv = line.split(' ')
  const flagged = argv.at(-1) === '--' ? argv.slice(0, -1) : argv
  const inTerminal = { terminal: { stdout: true } }

  test('is reported as JSON if the output format is JSON', async () => {
    expect(isJson(await stderrOf(argv))).toBe(true)
    expect(isJson(await stderrOf(argv, { ...inTerminal, env: { PETSTORE_OUTPUT: 'json' } }))).toBe(
      true
    )
    expect(
      isJson(await stderrOf(argv, { ...inTerminal, env: { PETSTORE_OUTPUT: 'ndjson' } }))
    ).toBe(true)
  })

  test('is reported as text otherwise', async () => {
    expect(await stderrOf(argv, { env: { PETSTORE_OUTPUT: 'csv' } })).toMatch(
      line.includes('--jq') ? /error/ : /^error: /
    )
    expect(
      await stderrOf(argv, {
        terminal: true,
        env: { PETSTORE_OUTPUT: 'json', NO_COLOR: '1', CI: '1' }
      })
    ).toMatch(/^error: /)
    if (!line.includes('--jq')) expect(await stderrOf(argv, inTerminal)).toMatch(/^error: /)
  })

  test('is reported as JSON if an option selects it, before or after the mistake', async () => {
    // A command without data refuses these options, and reports that in the format that they
    // select.
    for (const option of [['--json'], ['-o', 'json'], ['-ojson'], ['--output=ndjson']]) {
      if (line.includes('--jq') && option[0] === '--output=ndjson') continue
      expect(isJson(await stderrOf([...option, ...flagged], inTerminal))).toBe(true)
      expect(isJson(await stderrOf([...flagged, ...option], inTerminal))).toBe(true)
    }
  })
})

test('a saved format applies too; if the config file is broken, flags and variables still apply', async () => {
  const home = temporaryDirectory()
  const env = { PETSTORE_CONFIG_DIR: home }
  const terminal = { stdout: true }
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({ version: 1, preferences: { output: 'json' } })
  )
  expect(isJson(await stderrOf(['pets', 'lst'], { env, terminal }))).toBe(true)
  writeFileSync(join(home, 'config.json'), '{')
  expect(await stderrOf(['pets', 'lst'], { env, terminal })).toMatch(/^error: /)
  expect(
    isJson(await stderrOf(['pets', 'lst'], { env: { ...env, PETSTORE_OUTPUT: 'json' }, terminal }))
  ).toBe(true)
  expect(isJson(await stderrOf(['pets', 'lst', '--json'], { env, terminal }))).toBe(true)
})

test('an error in JSON has a stack only with --verbose', async () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'config.json'), '{')
  const env = { PETSTORE_CONFIG_DIR: home }
  const quiet = await runCli(['pets', 'list'], { env })
  expect(Object.keys(JSON.parse(quiet.stderr).error)).toEqual([
    'code',
    'message',
    'exitCode',
    'hint',
    'retryable'
  ])
  const verbose = await runCli(['pets', 'list', '-v'], { env })
  expect(JSON.parse(verbose.stderr).error.stack).toContain('    at ')
})

test.each<[env: Record<string, string>, isColored: boolean]>([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '1', PETSTORE_OUTPUT: 'xml' }, false]
])(
  'the error for a broken config file is in color, unless %j forbids it',
  async (env, isColored) => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'config.json'), '{')
    const run = await runCli(['env', 'list'], {
      env: { ...env, PETSTORE_CONFIG_DIR: home },
      terminal: true
    })
    expect(run.code).toBe(9)
    expect(run.stderr.includes('\u001b[')).toBe(isColored)
  }
)

/** An example without a shell for each command that takes `--env`. Only login creates one. */
const withEnvironment = leavesOf(program).flatMap(command => {
  const takesEnvironment = effectiveOptions(command).some(({ long }) => long === '--env')
  if (!takesEnvironment || commandName(command) === 'auth login') return []
  const lines = examplesIn(command).flatMap(([line]) => plainCommands(line) ?? [])
  const [words = []] = lines.filter(line => !line.includes('--all'))
  const isEnvironment = (index: number) => words[index] === '--env' || words[index - 1] === '--env'
  const argv = words.filter((_, index) => !isEnvironment(index))
  return [[commandName(command), argv] as const]
})

test.each(withEnvironment)(
  '%s refuses a typed environment that does not exist',
  async (_, argv) => {
    const { code, stdout, stderr } = await runCli([...argv, '--env', 'nowhere'])
    expect({ argv, code }).toEqual({ argv, code: 2 })
    expect(stdout + stderr).toContain("no environment is named 'nowhere'")
  }
)

test('a variable with an unknown environment does not stop the command that lists them', async () => {
  const { code } = await runCli(['env', 'list'], { env: { PETSTORE_ENV: 'nowhere' } })
  expect(code).toBe(0)
})

test.each([['-v'], ['--verbose']])('%s alone is a usage error that names --version', async flag => {
  const { code, stdout, stderr } = await runCli([flag], {
    terminal: true,
    env: { NO_COLOR: '1' }
  })
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: --verbose needs a command, whose requests it shows\nhint: petstore --version\n'
  })
})

test.each([['--json'], ['--no-color'], ['-q'], ['--env', 'local']])(
  '%s alone prints the page',
  async (...options) => {
    expect((await runCli(options)).code).toBe(0)
  }
)

test.each<[line: string, isTwice: boolean]>([
  ['pets list --limit 5 --limit 6', true],
  ['pets list --limit 5 --limit=05', false],
  ['pets list --watch --watch 6', true],
  ['pets list --watch --watch 5', false],
  ['pets add --name Rex --name Max', true],
  ['pets import x --accept-doubtful 1,2 --accept-doubtful 2', true],
  ['pets import x --resend-doubtful --resend-doubtful=2', true],
  ['pets import x --check --check', false],
  ['api GET /pets -f a=1 -f a=2', false],
  ['pets list --env local --env staging', false],
  ['pets list -o csv -o tsv', false]
])('%s: an option with two values: %s', (line, isTwice) => {
  const { mistake } = parseArgv(program, line.split(' '))
  expect(mistake?.kind).toBe(isTwice ? 'given twice' : undefined)
})
