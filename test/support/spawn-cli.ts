import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished, TestRunner } from 'vitest'
import { temporaryDirectory } from './temp.ts'

/** The file that a user runs: the clone's, or what PETSTORE_BIN names. */
export const binPath = process.env.PETSTORE_BIN
  ? resolve(process.env.PETSTORE_BIN)
  : fileURLToPath(new URL('../../bin/petstore.js', import.meta.url))

/**
 * PETSTORE_BIN names the `bin/petstore.js` of an installed package, or the standalone executable.
 */
export const isClone = !process.env.PETSTORE_BIN
export const isStandalone = !binPath.endsWith('.js')

/** The directory of the package or the clone. */
export const packageRoot = dirname(dirname(binPath))

/** The Node that runs it. */
const nodePath = process.execPath

/** The command that starts the program, without arguments. */
export const programCommand: readonly string[] = isStandalone ? [binPath] : [nodePath, binPath]

/** The same command, quoted for a shell. */
export const programWords = programCommand.map(word => `'${word}'`).join(' ')

/**
 * Skips the current test if the standalone executable is tested, because it takes no Node
 * arguments.
 */
function skipWithNodeArguments(): void {
  if (isStandalone)
    TestRunner.getCurrentTest()?.context.skip('the standalone executable takes no Node arguments')
}

interface SpawnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The piped input. Empty by default. */
  readonly input?: string | Uint8Array
  readonly cwd?: string
  /** A new directory by default. Runs with the same home share saved files. */
  readonly home?: string
  /** A command that runs Node with the program: `['faketime', '2030-12-06']`. */
  readonly under?: readonly string[]
  /** The path of a copy of the program, for users who cannot read this clone. */
  readonly program?: string
  /** Arguments for Node itself. */
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
  /** The output so far. */
  stdout(): string
  stderr(): string
  /** Resolves when the text has appeared on that stream; rejects if the program ends without it. */
  printed(stream: 'stdout' | 'stderr', text: string | RegExp): Promise<void>
  /** Resolves when the program has ended and its streams are closed. */
  readonly finished: Promise<SpawnResult>
}

/** Runs the built program in a clean environment until it ends. */
export function spawnCli(
  argv: readonly string[],
  options: SpawnOptions = {}
): Promise<SpawnResult> {
  const running = startCli(argv, options)
  running.child.stdin.end(options.input)
  return running.finished
}

/** Starts the built program with an open standard input, for tests that interact with it. */
export function startCli(argv: readonly string[], options: SpawnOptions = {}): RunningCli {
  if (!existsSync(fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)))) {
    throw new Error("there is no build: run 'npm run build'")
  }
  const { under = [], nodeArguments = [], program = binPath } = options
  if (nodeArguments.length > 0) skipWithNodeArguments()
  const command = [
    ...under,
    ...(isStandalone ? [] : [nodePath, ...nodeArguments]),
    program,
    ...argv
  ]
  const home = options.home ?? temporaryDirectory()
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: options.cwd ?? home,
    env: cleanEnvironment(home, options.env),
    stdio: ['pipe', 'pipe', 'pipe']
  })
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  })
  // A program that ends without reading its input breaks the pipe, which is allowed.
  child.stdin.on('error', () => {})

  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const finished = new Promise<SpawnResult>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) =>
      resolve({ code, signal, stdout: stdout(), stderr: stderr() })
    )
  })
  return {
    child,
    stdout,
    stderr,
    finished,
    printed: (stream, text) => printed(child, stream, text, { stdout, stderr })
  }
}

/** The variables of a new machine, and those of the test. */
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
  soFar: Record<'stdout' | 'stderr', () => string>
): Promise<void> {
  const isThere = () =>
    typeof text === 'string' ? soFar[stream]().includes(text) : text.test(soFar[stream]())
  return new Promise((resolve, reject) => {
    const look = () => {
      if (isThere()) resolve()
    }
    child[stream].on('data', look)
    child.once('close', () =>
      reject(
        new Error(
          `it ended before it printed ${text}\nstdout: ${soFar.stdout()}\nstderr: ${soFar.stderr()}`
        )
      )
    )
    look()
  })
}
