import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { programCommand, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

/**
 * Runs the program in a shell that compares the terminal before and after, with stdout in a file.
 */
const compareTerminal = [
  'trap : INT',
  'stty -a > before',
  '"$@" > out',
  'echo "ended with $?"',
  'stty -a > after',
  'cmp before after && echo "restored"',
  // Without a running program, the terminal has no cursor.
  'read -r _'
].join('; ')

async function session(argv: readonly string[], env: Record<string, string> = {}) {
  const home = temporaryDirectory()
  const terminal = await openTerminal(
    ['sh', '-c', compareTerminal, 'sh', ...programCommand, ...argv],
    {
      home,
      cwd: home,
      env
    }
  )
  return { terminal, home, out: () => readFileSync(join(home, 'out'), 'utf8') }
}

needs('tmux', 'stty')('in a terminal', () => {
  test('pets add prompts for missing values, and again after an invalid one', async () => {
    const { terminal, out } = await session(['pets', 'add', '--env', 'local', '--json'])
    await terminal.waitFor('Name')
    await terminal.type('  ')
    await terminal.press('Enter')
    await terminal.waitFor('that is not blank')
    await terminal.type('Rex 犬')
    await terminal.press('Enter')
    await terminal.waitFor('Category')
    await terminal.type('seven')
    await terminal.press('Enter')
    await terminal.waitFor('Use a whole number.')
    await terminal.type('9007199254740993')
    await terminal.press('Enter')
    await terminal.waitFor('ended with 0')
    await terminal.waitFor('restored')
    expect(await terminal.isCursorShown()).toBe(true)
    expect(out()).toContain('"name": "Rex 犬"')
    expect(out()).toContain('"categoryId": 9007199254740993')
  })

  test.each([
    ['typed before their questions', 'Rex\r7\r', 'Rex'],
    ['edited in one burst', 'Waddles\u001b[HSir \u001b[F!\r7\r', 'Sir Waddles!']
  ])('pets add takes answers %s', async (_, keys, name) => {
    const { terminal, out } = await session(['pets', 'add', '--env', 'local', '--json'])
    await terminal.waitFor('Name')
    await terminal.type(keys)
    expect(await terminal.waitFor('ended with 0')).toMatch(`Name: ${name}\nCategory id: 7\n`)
    expect(out()).toContain(`"name": "${name}"`)
    expect(out()).toContain('"categoryId": 7')
  })

  test('the screen shows the name that is sent', async () => {
    const argv = ['pets', 'add', '--env', 'local', '--category-id', '7', '--json']
    const { terminal, out } = await session(argv)
    await terminal.waitFor('Name')
    await terminal.type('Waddles')
    await terminal.press('Home')
    await terminal.type('Sir 犬 ')
    await terminal.press('Right', 'Right', 'BSpace', 'Enter')
    expect(await terminal.waitFor('ended with 0')).toContain('Name: Sir 犬 Wddles\n')
    expect(out()).toContain('"name": "Sir 犬 Wddles"')
  })

  test('what arrives with the last answer is dropped, and does not reach the shell', async () => {
    const home = temporaryDirectory()
    const rest = 'read -t 0 && echo "something is left" || echo "nothing is left"'
    const terminal = await openTerminal(
      ['bash', '-c', `"$@"; stty -icanon; ${rest}; read -r _`, 'bash'].concat([
        ...programCommand,
        'pets',
        'add',
        '--env',
        'local',
        '--name',
        'Rex'
      ]),
      { home, cwd: home }
    )
    await terminal.waitFor('Category id')
    await terminal.type(`7\rtwo\r${'more '.repeat(2000)}\r`)
    const screen = await terminal.waitFor('is left')
    expect(screen).toContain('nothing is left')
    expect(screen).toContain('added pet 11')
    expect(screen).not.toMatch(/Use a whole|two|more/)
  })

  test('messages send reads a message up to Ctrl-D', async () => {
    const { terminal, out } = await session(['messages', 'send', '--env', 'local', '--json'])
    await terminal.waitFor('reading the message from the terminal')
    await terminal.type('Do you have')
    await terminal.press('Enter')
    await terminal.type('a parrot?')
    await terminal.press('Enter', 'C-d')
    await terminal.waitFor('ended with 0')
    expect(JSON.parse(out()).message).toBe('Do you have\na parrot?')
  })

  const interrupted = ['C-c', 'error: interrupted'] as const
  const canceled = ['C-d', 'error: interrupted'] as const
  describe.each([
    ['pets add at the name', ['pets', 'add', '--env', 'local'], [], 'Name', interrupted],
    [
      'pets add at the category',
      ['pets', 'add', '--env', 'local', '--name', 'Rex'],
      [],
      'Category',
      canceled
    ],
    ['auth login at the base URL', ['auth', 'login'], [], 'Base URL', canceled],
    [
      'auth login at the API key',
      ['auth', 'login', '--base-url', 'https://a.example/v1'],
      [],
      'API key',
      interrupted
    ],
    ['env unset', ['env', 'unset', 'local'], [], 'Delete', interrupted]
  ] as const)('%s', (_what, argv, keys, question, [key, message]) => {
    test(`${key} exits with 130 and a message, and restores the terminal`, async () => {
      const { terminal, out } = await session(argv)
      if (keys.length > 0) {
        await terminal.waitFor('Category')
        await terminal.press(...keys)
      }
      await terminal.waitFor(question)
      await terminal.press(key)
      expect(await terminal.waitFor('ended with 130')).toContain(message)
      await terminal.waitFor('restored')
      expect(await terminal.isCursorShown()).toBe(true)
      expect(out()).toBe('')
    })
  })

  test('Ctrl-C in messages send exits with 130 and restores the terminal', async () => {
    const { terminal, out } = await session(['messages', 'send', '--env', 'local'])
    await terminal.waitFor('reading the message')
    await terminal.press('C-c')
    await terminal.waitFor('ended with 130')
    await terminal.waitFor('restored')
    expect(out()).toBe('')
  })

  test('Ctrl-L confirms nothing, and --no-color applies to the question', async () => {
    const { terminal } = await session(['env', 'unset', 'local', '--no-color'])
    await terminal.waitFor('(y/N)')
    await terminal.press('C-l')
    expect(await terminal.screen({ withEscapes: true })).not.toContain('\u001b[1m')
    await terminal.press('Enter')
    expect(await terminal.waitFor('ended with 130')).toContain('nothing was deleted')
  })

  test.each(['HUP', 'QUIT'])('SIG%s at a prompt restores the terminal', async signal => {
    const { terminal, home } = await session(['auth', 'login'])
    await terminal.waitFor('Base URL')
    process.kill(childOf(home), `SIG${signal}`)
    await terminal.waitFor('restored')
  })

  test('Ctrl-D after some text does not end the prompt', async () => {
    const { terminal } = await session(['pets', 'add', '--env', 'local', '--category-id', '2'])
    await terminal.waitFor('Name')
    await terminal.type('Re')
    await terminal.press('C-d')
    await terminal.type('x')
    await terminal.press('Enter')
    expect(await terminal.waitFor('ended with 0')).toContain('Rex')
  })

  test.each([
    ['an answer', 'Enter', 0],
    ['Ctrl-D', 'C-d', 130]
  ] as const)(
    'a prompt continues after Ctrl-Z and fg, and then %s ends it',
    async (_, key, code) => {
      const home = temporaryDirectory()
      const env = { PS1: 'shell> ', PETSTORE_CONFIG_DIR: home }
      const terminal = await openTerminal(['sh', '-im'], { home, cwd: home, env })
      await terminal.waitFor('shell>')
      await terminal.type(
        `${programCommand.join(' ')} pets add --env local --category-id 2 --status sold`
      )
      await terminal.press('Enter')
      await terminal.waitFor('Name')
      for (const _again of [1, 2]) {
        await terminal.press('C-z')
        await terminal.waitFor(/Stopped|Suspended/)
        expect(await terminal.isCursorShown()).toBe(true)
        await terminal.type('clear; fg')
        await terminal.press('Enter')
        await terminal.waitFor(/^(?![\s\S]*Stopped)[\s\S]*pets add/)
      }
      await terminal.type('x')
      await terminal.waitFor(/Name: x/)
      if (key === 'C-d') await terminal.press('BSpace')
      await terminal.press(key)
      await terminal.waitFor('shell>')
      await terminal.type('echo "ended with $?"')
      await terminal.press('Enter')
      await terminal.waitFor(`ended with ${code}`)
    }
  )

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s from another process ends a prompt',
    async signal => {
      const { terminal, home } = await session(['pets', 'add', '--env', 'local'])
      await terminal.waitFor('Name')
      const pid = childOf(home)
      process.kill(pid, signal)
      await terminal.waitFor(`ended with ${signal === 'SIGINT' ? 130 : 143}`)
      await terminal.waitFor('restored')
      expect(await terminal.isCursorShown()).toBe(true)
    }
  )
})

/** The process ID of the program with that home directory. */
function childOf(home: string): number {
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const of = (file: string) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8')
      } catch {
        return ''
      }
    }
    if (
      of('environ').includes(`HOME=${home}\0`) &&
      of('cmdline').startsWith(`${programCommand.join('\0')}\0`)
    )
      return Number(pid)
  }
  throw new Error(`no program runs in ${home}`)
}

describe('outside a terminal', () => {
  test('there is no prompt, and nothing is sent', async () => {
    const server = await recordingServer({ json: {} })
    const env = {
      PETSTORE_API_KEY: 'sk_test_12345678',
      PETSTORE_BASE_URL: server.url,
      PETSTORE_MESSAGES_URL: server.url
    }
    const add = await spawnCli(['pets', 'add', '--name', 'Rex'], { env, input: '2\n' })
    expect(add).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(add.stderr).error.message).toBe('--category-id is missing')
    const send = await runCli(['messages', 'send', '--no-input'], {
      env,
      terminal: { stdin: true }
    })
    expect(send).toMatchObject({ code: 2, stdout: '' })
    expect(server.connections()).toBe(0)
  })

  test.each([
    ['pets add --name Rex --env local', '--category-id is missing'],
    ['messages send --env local', 'the message is missing'],
    ['auth login --base-url https://a.example/v1', 'the API key is missing'],
    ['auth login', "no base URL is set for 'production'"]
  ])('%s names the variable that is the reason', async (line, message) => {
    const argv = line.split(' ')
    const env = { CI: 'true', NO_COLOR: '1' }
    const reason = '; CI turns prompts off (CI= petstore … prompts)'
    const inTerminal = await runCli(argv, { terminal: true, env })
    expect(inTerminal.code).toBe(message.startsWith('no base') ? 9 : 2)
    expect(inTerminal.stderr).toContain(`error: ${message}${reason}\n`)
    const byOption = await runCli([...argv, '--no-input'], { terminal: true, env })
    expect(byOption.stderr).toContain(`error: ${message}\n`)
    expect((await runCli(argv, { env })).stderr).not.toContain('turns prompts off')
  })

  test('prompts for no agent, and says so', async () => {
    const argv = ['pets', 'add', '--name', 'Rex', '--env', 'local']
    const { code, stderr } = await runCli(argv, { terminal: true, env: { CLAUDECODE: '1' } })
    expect(code).toBe(2)
    expect(stderr).toContain('CLAUDECODE turns prompts off (CLAUDECODE= petstore … prompts)')
  })

  test('- reads from a terminal even with --no-input', async () => {
    const argv = ['messages', 'send', '-', '--env', 'local', '--no-input']
    const run = await runCli(argv, { terminal: { stdin: true }, stdin: 'hello\n' })
    expect(JSON.parse(run.stdout).message).toBe('hello')
  })
})
