import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished, TestRunner } from 'vitest'
import { temporaryDirectory } from './temp.ts'

/** The file that a user starts: the package's, or the standalone executable that is tested in its place. */
export const binPath = process.env.PETSTORE_BIN
  ? resolve(process.env.PETSTORE_BIN)
  : fileURLToPath(new URL('../../bin/petstore.js', import.meta.url))

export const isStandalone = Boolean(process.env.PETSTORE_BIN)

/** The Node that runs it: this one, or another to see whether the build runs there too. */
export const nodePath = process.env.PETSTORE_TEST_NODE ?? process.execPath

/** The words that start the program. Its arguments follow. */
export const programCommand: readonly string[] = isStandalone ? [binPath] : [nodePath, binPath]

/** The same for a shell. */
export const programWords = programCommand.map((word) => `'${word}'`).join(' ')

/** Skips the test that runs: the standalone executable takes no arguments of Node, so it is about the package alone. */
export function skipWithNodeArguments(): void {
  if (isStandalone) TestRunner.getCurrentTest()?.context.skip('the standalone executable takes no arguments of Node')
}

interface SpawnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What is piped in, to its end; without it standard input is empty. */
  readonly input?: string | Uint8Array
  readonly cwd?: string
  /** A fresh one by default; give the same to runs that share saved files. */
  readonly home?: string
  /** Another command that is given Node, the program and its arguments: `['faketime', '2030-12-06']`. */
  readonly under?: readonly string[]
  /** Where the program stands, for users who may not look into this clone. */
  readonly program?: string
  /** Arguments of Node's own. */
  readonly nodeArguments?: readonly string[]
}

interface SpawnResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCli {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** What has come so far. */
  stdout(): string
  stderr(): string
  /** Resolves when the text has come on that stream; rejects when the program ends without it. */
  printed(stream: 'stdout' | 'stderr', text: string | RegExp): Promise<void>
  /** When it has ended and its streams are closed. */
  readonly finished: Promise<SpawnResult>
}

/** Runs the built program to its end, in a clean environment. */
export function spawnCli(argv: readonly string[], options: SpawnOptions = {}): Promise<SpawnResult> {
  const running = startCli(argv, options)
  running.child.stdin.end(options.input)
  return running.finished
}

/** Starts the built program, its standard input open, for a test that sends signals or reads as it goes. */
export function startCli(argv: readonly string[], options: SpawnOptions = {}): RunningCli {
  if (!existsSync(fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)))) {
    throw new Error("there is no build: run 'npm run build'")
  }
  const { under = [], nodeArguments = [], program = binPath } = options
  if (nodeArguments.length > 0) skipWithNodeArguments()
  const command = [...under, ...(isStandalone ? [] : [nodePath, ...nodeArguments]), program, ...argv]
  const home = options.home ?? temporaryDirectory()
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: options.cwd ?? home,
    env: cleanEnvironment(home, options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  })
  // A program that ends without reading breaks the pipe; that is no fault of the test.
  child.stdin.on('error', () => {})

  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const finished = new Promise<SpawnResult>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout: stdout(), stderr: stderr() }))
  })
  return {
    child,
    stdout,
    stderr,
    finished,
    printed: (stream, text) => printed(child, stream, text, { stdout, stderr }),
  }
}

/** What a fresh machine has, and what the test adds. */
export function cleanEnvironment(home: string, extra: SpawnOptions['env'] = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...extra }
}

function collect(stream: Readable): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

function printed(
  child: RunningCli['child'],
  stream: 'stdout' | 'stderr',
  text: string | RegExp,
  soFar: Record<'stdout' | 'stderr', () => string>,
): Promise<void> {
  const isThere = () => (typeof text === 'string' ? soFar[stream]().includes(text) : text.test(soFar[stream]()))
  return new Promise((resolve, reject) => {
    const look = () => {
      if (isThere()) resolve()
    }
    child[stream].on('data', look)
    child.once('close', () =>
      reject(new Error(`it ended before it printed ${text}\nstdout: ${soFar.stdout()}\nstderr: ${soFar.stderr()}`)),
    )
    look()
  })
}
