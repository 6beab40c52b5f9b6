import { fstatSync, writeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'

export type Signal = 'SIGINT' | 'SIGTERM'

/** The programs that run on this machine, by their process ids. */
export interface Programs {
  /** This program's own. */
  readonly pid: number
  isRunning(pid: number): boolean
}

/** The machine as this program sees it. The real one is made below; a test makes its own. */
export interface Host extends Programs {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What runs this program: the version of Node, and the system below it. */
  readonly runtime: { readonly node: string; readonly system: string }
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /**
   * Writes without opening the stream, which costs a run of `--version` more than all of its own work, and answers how
   * many bytes were taken. It takes only what whoever reads can't make it wait for, so often nothing.
   */
  writeAtOnce?(stream: 'stdout' | 'stderr', bytes: Uint8Array): number
  /** Which of the three streams are terminals. */
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** How wide the terminal is now; 80 where nobody knows. */
  columns(): number
  /** How many lines the terminal has now; 24 where nobody knows. */
  rows(): number
  /** Calls the listener whenever the terminal behind stdout gets another size, until the returned function is called. */
  onResize(listener: () => void): () => void
  now(): Date
  /** The home directory, or undefined where this user has none. */
  home(): string | undefined
  /** Calls the listener at each SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: Signal) => void): () => void
  /** Calls the listener with an error that nobody caught, which then no longer ends the process. */
  onCrash(listener: (error: unknown) => void): () => void
}

export function processHost(): Host {
  const opened = new Set<Stream>()
  const terminal = realTerminal()
  return {
    env: takeEnvironment(),
    runtime: realRuntime(),
    // Opening a standard stream costs time and changes its mode: each is touched at first use.
    get stdin() {
      return process.stdin
    },
    get stdout() {
      opened.add('stdout')
      return process.stdout
    },
    get stderr() {
      opened.add('stderr')
      return process.stderr
    },
    writeAtOnce(stream, bytes) {
      // Only once, and never past a stream in which something may be waiting.
      if (opened.has(stream)) return 0
      opened.add(stream)
      return writeAtOnce(stream === 'stdout' ? 1 : 2, bytes)
    },
    terminal,
    columns() {
      const stream = terminal.stdout ? process.stdout : terminal.stderr ? process.stderr : undefined
      return stream?.columns || 80
    },
    rows: () => (terminal.stdout && process.stdout.rows) || 24,
    onResize(listener) {
      process.stdout.on('resize', listener)
      return () => process.stdout.off('resize', listener)
    },
    now: () => new Date(),
    ...realPrograms(),
    home: () => process.env.HOME || passwdHome(),
    onSignal(listener) {
      process.on('SIGINT', listener)
      process.on('SIGTERM', listener)
      return () => {
        process.off('SIGINT', listener)
        process.off('SIGTERM', listener)
      }
    },
    onCrash(listener) {
      process.on('uncaughtException', listener)
      return () => process.off('uncaughtException', listener)
    },
  }
}

type Stream = 'stdout' | 'stderr'

/** What every pipe takes at once while it is empty. One that others write to as well may take less. */
const smallestPipe = 16 * 1024

function writeAtOnce(file: number, bytes: Uint8Array): number {
  try {
    const stats = fstatSync(file)
    const isPipe = stats.isFIFO() || stats.isSocket()
    return stats.isFile() || (isPipe && bytes.length <= smallestPipe) ? writeSync(file, bytes) : 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  }
}

/** Asked of each stream when it matters: `node:tty` brings all of Node's network along. */
function realTerminal(): Host['terminal'] {
  const isTerminal = (file: number) => isDevice(file) && process.getBuiltinModule('node:tty').isatty(file)
  return {
    get stdin() {
      return isTerminal(0)
    },
    get stdout() {
      return isTerminal(1)
    },
    get stderr() {
      return isTerminal(2)
    },
  }
}

/** A terminal is a device; a pipe and a file are none, and what is closed is nothing. */
function isDevice(file: number): boolean {
  try {
    return fstatSync(file).isCharacterDevice()
  } catch {
    return false
  }
}

/** A diagnostic report of Node's shows every variable that the process has, and so would a program that it starts. */
function takeEnvironment(): Host['env'] {
  const env = { ...process.env }
  delete process.env.PETSTORE_API_KEY
  return env
}

export function realRuntime(): Host['runtime'] {
  return { node: process.versions.node, system: `${process.platform} ${process.arch}` }
}

export function realPrograms(): Programs {
  return {
    pid: process.pid,
    isRunning(pid) {
      try {
        process.kill(pid, 0)
        return true
      } catch (error) {
        // Another user's program may not be signalled, but it is there.
        return (error as NodeJS.ErrnoException).code !== 'ESRCH'
      }
    },
  }
}

/** A user without a passwd entry has no home; Node says so by throwing. */
function passwdHome(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir() || undefined
  } catch {
    return undefined
  }
}
