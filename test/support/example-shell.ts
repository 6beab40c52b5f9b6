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
  'message.txt': 'Do you have a parrot?\n',
}

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

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
  close(): Promise<void>
}

export async function openExampleShell(): Promise<ExampleShell> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-examples-'))
  const empty = join(directory, 'empty')
  for (const name of ['programs', 'empty/here', 'empty/.config/fish/completions']) {
    mkdirSync(join(directory, name), { recursive: true })
  }
  symlinkSync(binPath, join(directory, 'programs', 'petstore'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(empty, 'here', name), content)

  const environment = (home: string) => ({
    ...cleanEnvironment(home),
    PATH: `${join(directory, 'programs')}:${process.env.PATH}`,
  })
  const { child: service, url } = await startService({
    ...environment(empty),
    PETSTORE_API_KEY: exampleKey,
  })
  const run = (script: string, home: string) =>
    runInShell(script, join(home, 'here'), environment(home))

  const setUp = join(directory, 'set-up')
  cpSync(empty, setUp, { recursive: true })
  for (const name of ['production', 'staging']) {
    const { code, stderr } = await run(
      `petstore auth login --env ${name} --base-url ${url}/v1 --messages-url ${url} && petstore env use production`,
      setUp,
    )
    if (code !== 0) throw new Error(stderr)
  }

  let count = 0
  return {
    run,
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
          .replaceAll(/ SHARE\b/g, ' 0.1')
          .replaceAll(/https:\/\/[a-z.]+\.example/g, url)
          .replaceAll('=…', `=${exampleKey}`)
          // A shorter wait shows the same.
          .replace(/^timeout 5 /m, 'timeout 2 ')
          .replace(/^(petstore serve)(?!.*--port)/m, '$1 --port 0')
      )
    },
    async close() {
      const ended = new Promise((resolve) => service.once('close', resolve))
      service.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, maxRetries: 5 })
    },
  }
}

async function startService(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> {
  const argv = ['serve', '--port', '0', '--json', '--data', ':memory:', '--quiet']
  const [file = '', ...words] = [...programCommand, ...argv]
  const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = await new Promise((resolve) => child.stdout.once('data', resolve))
  return { child, url: JSON.parse(String(ready)).messagesUrl }
}

/** The shell whose completion a script sets up in the shell itself, otherwise bash. */
export function shellOf(script: string): 'bash' | 'zsh' | 'fish' {
  if (/\| source( |$)/m.test(script)) return 'fish'
  return /\$\(petstore completion zsh\)/.test(script) ? 'zsh' : 'bash'
}

async function runInShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Run> {
  const shell = shellOf(script)
  const options = { bash: [], zsh: ['-f'], fish: ['--no-config'] }[shell]
  const strict = shell === 'bash' ? `set -euo pipefail\n${script}` : script
  const child = spawn(shell, [...options, '-c', strict], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdin.on('error', () => {})
  child.stdin.end(`${exampleKey}\n`)
  let isStopped = false
  child.stdout.once('data', () => {
    if (!script.split('\n').some(runsUntilStopped)) return
    isStopped = true
    process.kill(-(child.pid as number), 'SIGINT')
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)])
  return { code: isStopped ? 0 : code, stdout, stderr }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
