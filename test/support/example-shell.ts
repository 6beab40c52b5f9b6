import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runsUntilStopped } from './examples.ts'
import { binPath, cleanEnvironment, programCommand } from './spawn-cli.ts'

export const exampleKey = 'sk_test_0123456789abcdef'

const files = {
  'key.txt': `${exampleKey}\n`,
  'pet.json': '{"name":"Rex","categoryId":2}',
  'pets.json': '[{"name":"Rex","categoryId":2}]',
  'pets.ndjson': '{"name":"Rex","categoryId":2}\n{"name":"Ina","categoryId":3,"status":"sold"}\n',
  'pets.csv': 'name,categoryId\nRex,2\n',
  'message.txt': 'Do you have a parrot?\n'
}

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type Shell = keyof typeof interactiveShells

interface Pasted {
  /** The line that failed. */
  readonly failed: string | undefined
  readonly stderr: string
}

/**
 * How shells read commands as from a keyboard: zsh has no comments then, and bash has a history.
 * fish makes no difference, and reads no socket.
 */
const interactiveShells = {
  bash: () => ['--norc', '--noprofile', '-i', '-s'],
  zsh: () => ['-f', '-i', '-s'],
  fish: (script: string) => ['--no-config', '-c', script]
}

export const shells = Object.keys(interactiveShells) as Shell[]

/**
 * A shell for the command lines that petstore prints: `petstore` is in PATH, and placeholders get
 * real values.
 */
export interface ExampleShell {
  /**
   * A new home: set up with keys for production and staging, empty except for the examples' files,
   * or bare.
   */
  freshHome(kind?: 'bare' | 'empty' | 'set up'): string
  /** Replaces placeholder hosts, placeholder keys and the default port by ones that work. */
  fillPlaceholders(text: string): Promise<string>
  /**
   * Runs a script in a shell, with the key on standard input. A line that runs until it is stopped
   * is interrupted.
   */
  run(script: string, home: string): Promise<Run>
  /** Starts a command, and resolves when it has printed something. `stop` presses Ctrl-C. */
  start(command: string, home: string): Promise<{ stop(): Promise<Run> }>
  /** Pastes lines into an interactive shell, up to the first that fails. */
  paste(shell: Shell, lines: readonly string[], home: string): Promise<Pasted>
  close(): Promise<void>
}

export async function openExampleShell(): Promise<ExampleShell> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-examples-'))
  const empty = join(directory, 'empty')
  for (const name of ['programs', 'empty/here', 'empty/shop', 'empty/.config/fish/completions']) {
    mkdirSync(join(directory, name), { recursive: true })
  }
  symlinkSync(binPath, join(directory, 'programs', 'petstore'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(empty, 'here', name), content)
  writeFileSync(join(empty, 'shop/export.csv'), files['pets.csv'])

  const environment = (home: string) => ({
    ...cleanEnvironment(home),
    PATH: `${join(directory, 'programs')}:${process.env.PATH}`
  })
  const { child: service, url } = await startService({
    ...environment(empty),
    PETSTORE_API_KEY: exampleKey
  })
  const run = (script: string, home: string) =>
    runInShell(script, join(home, 'here'), environment(home))

  const setUp = join(directory, 'set-up')
  cpSync(empty, setUp, { recursive: true })
  for (const name of ['production', 'staging']) {
    const { code, stderr } = await run(
      `petstore auth login --env ${name} --base-url ${url}/v1 --messages-url ${url} && petstore env use production`,
      setUp
    )
    if (code !== 0) throw new Error(stderr)
  }

  let count = 0
  return {
    run,
    start: (command, home) => startInShell(command, join(home, 'here'), environment(home)),
    paste: (name, lines, home) => pasteInto(name, lines, join(home, 'here'), environment(home)),
    freshHome(kind = 'set up') {
      count += 1
      const home = join(directory, `home-${count}`)
      if (kind === 'bare') mkdirSync(join(home, 'here'), { recursive: true })
      else cpSync(kind === 'empty' ? empty : setUp, home, { recursive: true })
      return home
    },
    async fillPlaceholders(printed) {
      return (
        printed
          // First, because the port of the service may contain these digits.
          .replaceAll('4010', String(await freePort()))
          .replaceAll('https://HOST', url)
          .replaceAll(/ ID\b/g, ' 1')
          .replaceAll(/https:\/\/[a-z.]+\.example/g, url)
          .replaceAll('=…', `=${exampleKey}`)
          // A shorter wait shows the same.
          .replace(/^timeout 5 /m, 'timeout 2 ')
          .replace(/^(petstore serve)(?!.*--port)/m, '$1 --port 0')
      )
    },
    async close() {
      const ended = new Promise(resolve => service.once('close', resolve))
      service.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, maxRetries: 5 })
    }
  }
}

async function startService(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> {
  const argv = ['serve', '--port', '0', '--json', '--data', ':memory:', '--quiet']
  const [file = '', ...words] = [...programCommand, ...argv]
  const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = await new Promise(resolve => child.stdout.once('data', resolve))
  return { child, url: JSON.parse(String(ready)).messagesUrl }
}

/** The shell whose completion a script sets up in the shell itself, otherwise bash. */
export function shellOf(script: string): Shell {
  return /\$\(petstore completion zsh\)/.test(script) ? 'zsh' : 'bash'
}

async function runInShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Run> {
  const shell = shellOf(script)
  const options = { bash: [], zsh: ['-f'], fish: ['--no-config'] }[shell]
  const strict = shell === 'bash' ? `set -euo pipefail\n${script}` : script
  const { child, ended } = spawnShell(shell, [...options, '-c', strict], cwd, env)
  child.stdin.end(`${exampleKey}\n`)
  let isStopped = false
  child.stdout.once('data', () => {
    if (!script.split('\n').some(runsUntilStopped)) return
    isStopped = true
    process.kill(-(child.pid as number), 'SIGINT')
  })
  const run = await ended
  return { ...run, code: isStopped ? 0 : run.code }
}

async function startInShell(command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const { child, ended } = spawnShell('bash', ['-c', command], cwd, env)
  await Promise.race([ended, new Promise(resolve => child.stdout.once('data', resolve))])
  return {
    stop: () => {
      if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT')
      return ended
    }
  }
}

async function pasteInto(
  shell: Shell,
  lines: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv
): Promise<Pasted> {
  const status = shell === 'fish' ? '$status' : '$?'
  const checked = lines.map((line, index) => `${line}\ntest ${status} = 0 || exit ${index}\n`)
  // fish ends with 0 if it cannot parse the script.
  const atEnd = lines.length
  const script = `${checked.join('')}exit ${atEnd}\n`
  const argv = interactiveShells[shell](script)
  const { child, ended } = spawnShell(shell, argv, cwd, { ...env, PS1: '' })
  child.stdin.end(shell === 'fish' ? '' : script)
  const { code, stderr } = await ended
  const failed = code === atEnd ? undefined : (lines[code ?? -1] ?? `exit code ${code}`)
  return { failed, stderr }
}

/** A shell in a process group of its own, without the terminal of the person who runs the tests. */
function spawnShell(shell: Shell, argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(shell, argv, { cwd, env, stdio: 'pipe', detached: true })
  child.stdin.on('error', () => {})
  const closed = new Promise<number | null>(resolve => child.once('close', resolve))
  const ended: Promise<Run> = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => ({ code, stdout, stderr })
  )
  return { child, ended }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
