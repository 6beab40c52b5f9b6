import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { activeCharacter, hostileNames } from '../output/hostile.ts'
import { needs } from '../support/needs.ts'
import { type Answer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { programCommand } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal, type Terminal } from '../support/terminal.ts'

const names = hostileNames.map(([, name]) => name)
/** The names in every text field and in an unknown one. */
const pets = names.map((name, index) => ({
  id: index + 1,
  name,
  categoryId: 2,
  status: name,
  [`x${name}`]: name
}))
/** The names in groups of four. */
const fours = Array.from({ length: Math.ceil(names.length / 4) }, (_, index) =>
  names.slice(index * 4, index * 4 + 4)
)
const size = { columns: 300, rows: 250 }
const marker = 'the end of it'

async function service(answer: Parameters<typeof recordingServer>[0]) {
  const server = await recordingServer(answer)
  const env = {
    PETSTORE_API_KEY: 'sk_test_12345678',
    PETSTORE_BASE_URL: server.url,
    PETSTORE_MESSAGES_URL: server.url
  }
  return { ...env, NO_COLOR: '1' }
}

/** The screen of a real terminal after the built program has run these commands. */
async function show(commands: readonly (readonly string[])[], env: Record<string, string>) {
  const home = temporaryDirectory()
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
  const script = commands.map(argv => [...programCommand, ...argv].map(quote).join(' '))
  writeFileSync(join(home, 'script.sh'), [...script, `echo '${marker}'`, 'read -r _'].join('\n'))
  const terminal = await openTerminal(['sh', 'script.sh'], { ...size, home, cwd: home, env })
  const screen = await terminal.waitFor(marker, { within: 120_000 })
  return { terminal, lines: screen.split('\n').slice(0, -1) }
}

/** Fails if an attack cleared, moved, hid, renamed or copied anything. */
async function expectUntouched(terminal: Terminal) {
  expect(await terminal.title()).not.toBe('owned')
  expect(await terminal.clipboard()).toBe('')
  expect(await terminal.isCursorShown()).toBe(true)
  expect(await terminal.screen({ withEscapes: true })).not.toContain('\u001b')
}

/** The output of the program for a terminal of that size, without a terminal. */
async function written(argv: readonly string[], env: Record<string, string>) {
  const { stdout, stderr } = await runCli(argv, { env, terminal: true, columns: size.columns })
  const text = stderr + stdout
  expect(text.replaceAll(/\r?\n|\t/g, '')).not.toMatch(activeCharacter)
  return linesOf(text.split('\n'))
}

/** A terminal shows a tab as spaces, so all whitespace is normalized. */
const linesOf = (lines: readonly string[]) =>
  lines.map(line => line.replaceAll(/\s+/g, ' ').trim()).filter(line => line !== '')

needs('tmux')('in a real terminal', () => {
  test('the attacks work if nothing prevents them', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'names'), `${names.map(name => `${name}\n`).join('')}`)
    const terminal = await openTerminal(['sh', '-c', `cat names; echo '${marker}'; read -r _`], {
      ...size,
      home,
      cwd: home
    })
    await terminal.waitFor(marker)
    expect(await terminal.title()).toBe('owned')
    expect(await terminal.screen()).not.toContain('safe')
    expect(await terminal.screen()).not.toContain('real')
  })

  test('every format and a raw reply show every attack, and none works', async () => {
    const env = await service(({ path }) =>
      path.startsWith('/pets')
        ? { json: pets }
        : { body: names.map(name => `<${name}>`).join('\n') }
    )
    const list = ['pets', 'list', '--limit', '100']
    const commands = [
      ...['table', 'csv', 'tsv', 'json', 'ndjson'].map(format => [...list, '-o', format]),
      [...list, '--jq', '.[].name, .[]'],
      ['api', 'GET', '/x']
    ]
    const { terminal, lines } = await show(commands, env)
    const expected: string[] = []
    for (const argv of commands) expected.push(...(await written(argv, env)))
    // tmux joins the lines that it wrapped.
    expect(linesOf(lines)).toEqual(expected)
    await expectUntouched(terminal)
  })

  test('errors show every attack on one line, and none works', async () => {
    const errors = fours.map(
      (four): Answer => ({
        status: 422,
        json: { code: four[0], message: `<${four.join('> <')}>`, status: 422 }
      })
    )
    const commands = fours.map(() => ['pets', 'list'])
    const { terminal, lines } = await show(commands, await service(errors))
    const shown = lines.filter(line => line.startsWith('error: '))
    expect(shown).toHaveLength(fours.length)
    for (const line of shown) expect(line).toMatch(/\(422\): <.*>$/)
    await expectUntouched(terminal)
  }, 150_000)

  test('arguments are harmless in usage errors, and headers with --verbose', async () => {
    const env = await service({
      json: [],
      headers: { deprecation: 'true', link: '</\u009b2J\u0085\u008d>; rel="successor-version"' }
    })
    const typed = names.filter(name => !name.includes('\0'))
    const commands = [
      ['pets', 'list'],
      ['pets', 'list', '-v'],
      ...typed.slice(0, 6).flatMap(name => [['pets', 'list', '--status', name], [`x${name}`]])
    ]
    const { terminal, lines } = await show(commands, env)
    expect(lines.filter(line => line.startsWith('error: '))).toHaveLength(12)
    await expectUntouched(terminal)
  }, 150_000)

  test('the name of the config directory is harmless on stdout, in errors and in a prompt', async () => {
    const typed = names.filter(name => !/[\0\n/\p{Cs}]/u.test(name)).join('')
    const directory = join(temporaryDirectory(), typed)
    mkdirSync(directory, { mode: 0o777 })
    chmodSync(directory, 0o777)
    const env = { PETSTORE_CONFIG_DIR: directory, NO_COLOR: '1' }
    const commands = [
      ['config', 'path'],
      ['config', 'list'],
      ['doctor'],
      ['config', 'set', 'output', 'table']
    ]
    const { terminal } = await show(commands, env)
    await expectUntouched(terminal)

    const home = temporaryDirectory()
    const unset = [...programCommand, 'env', 'unset', 'local']
    const asking = await openTerminal(unset, { ...size, home, cwd: home, env })
    const question = await asking.waitFor('(y/N)')
    expect(question).toContain('␛]0;owned')
    expect(await asking.title()).not.toBe('owned')
    expect(await asking.clipboard()).toBe('')
  }, 150_000)
})

test('config path is exact in a pipe', async () => {
  const directory = join(
    temporaryDirectory(),
    names.filter(name => !/[\0/\p{Cs}]/u.test(name)).join('')
  )
  const { stdout } = await runCli(['config', 'path'], { env: { PETSTORE_CONFIG_DIR: directory } })
  expect(stdout).toBe(`${directory}/config.json\n`)
})
