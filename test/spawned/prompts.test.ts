import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'
import { programCommand } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

/** Compares the terminal before and after the program, whose stdout goes to a file. */
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

async function session(line: string) {
  const home = temporaryDirectory()
  const command = ['sh', '-c', compareTerminal, 'sh', ...programCommand, ...line.split(' ')]
  const terminal = await openTerminal(command, { home, cwd: home })
  const ended = async (code: number) => {
    const screen = await terminal.waitFor(`ended with ${code}`)
    await terminal.waitFor('restored')
    expect(await terminal.isCursorShown()).toBe(true)
    return screen
  }
  return { terminal, home, ended, out: () => readFileSync(join(home, 'out'), 'utf8') }
}

needs('tmux', 'stty')('in a terminal', () => {
  test('pets add prompts for what is missing, again after a wrong answer, and for the status', async () => {
    const { terminal, out, ended } = await session('pets add --env local --json')
    await terminal.waitFor('Name')
    await terminal.type('  \r')
    await terminal.waitFor('blank')
    await terminal.type('Rex 犬\rseven\r')
    await terminal.waitFor('whole number')
    await terminal.type('9007199254740993\r')
    await terminal.waitFor('Status')
    await terminal.press('Down', 'Down', 'Enter')
    await ended(0)
    expect(out()).toContain('"name": "Rex 犬"')
    expect(out()).toContain('"categoryId": 9007199254740993')
    expect(out()).toContain('"status": "pending"')
  })

  test.each([
    ['pets add --env local', 'Name', 'C-c'],
    ['auth login --no-verify --base-url https://a.example/v1', 'API key', 'C-d'],
    ['env unset local', 'Delete', 'C-c'],
    ['env use', 'Default environment', 'C-c']
  ])('%s at %s: %s ends with 130', async (line, question, key) => {
    const { terminal, out, ended } = await session(line)
    await terminal.waitFor(question)
    await terminal.press(key)
    expect(await ended(130)).toContain('error: interrupted')
    expect(out()).toBe('')
  })
})

describe('where prompts are off', () => {
  test.each([
    ['pets add --name Rex --env local', 2, 'a pet needs --name and --category-id'],
    ['messages send --env local', 2, 'the message is missing'],
    ['auth login --base-url https://a.example/v1', 2, 'the API key is missing'],
    ['auth login', 9, "no base URL is set for 'production'"],
    ['env use', 2, 'the environment is missing'],
    ['env unset local', 2, 'confirm it with --yes']
  ])('%s ends with %i', async (line, expected, words) => {
    const argv = line.split(' ')
    for (const env of [{ CI: 'true' }, { CLAUDECODE: '1' }, {}]) {
      const noInput = Object.keys(env).length === 0 ? ['--no-input'] : []
      const { code, stderr } = await runCli([...argv, ...noInput], { terminal: true, env })
      expect([code, stderr]).toEqual([expected, expect.stringContaining(words)])
    }
  })

  test('- reads from a terminal even with --no-input', async () => {
    const argv = ['messages', 'send', '-', '--env', 'local', '--no-input']
    const run = await runCli(argv, { terminal: { stdin: true }, stdin: 'hello\n' })
    expect(JSON.parse(run.stdout).message).toBe('hello')
  })
})
