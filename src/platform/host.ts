import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { unlessSystemFails } from './errno.ts'

export type Signal = 'SIGINT' | 'SIGTERM'

/** The process as a value. `processHost` returns the real one; tests create their own. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The version of Node, and the operating system. */
  readonly runtime: { readonly node: string; readonly system: string }
  /**
   * Whether all arguments are UTF-8 text: Node replaces other bytes silently. Always true without
   * /proc.
   */
  hasTextArguments(): boolean
  readonly stdin: Readable
  /** Whether standard input is a regular file that is not empty. */
  hasFileInput(): boolean
  readonly stdout: Writable
  readonly stderr: Writable
  /**
   * Writes without opening the stream, which takes longer than all other work of `--version`, and
   * returns how many bytes were written: often none, because it never waits for a slow reader.
   */
  writeAtOnce?(stream: 'stdout' | 'stderr', bytes: Uint8Array): number
  /** Which of the three streams are terminals. */
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** The terminal's current width; 80 if it is not known. */
  columns(): number
  /** The terminal's current height; 24 if it is not known. */
  rows(): number
  /**
   * Calls the listener when the size of the terminal behind stdout changes, until the returned
   * function is called.
   */
  onResize(listener: () => void): () => void
  now(): Date
  /** The home directory; undefined if this user has none. */
  home(): string | undefined
  /** Calls the listener at each SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: Signal) => void): () => void
  /**
   * Calls the first function before a signal suspends the process (Ctrl-Z) or ends it (SIGHUP,
   * SIGQUIT), and the second one when it continues, until the returned function is called.
   */
  onTerminalLost(restore: () => void, takeBack: () => void): () => void
  /** Calls the listener with each uncaught error, which then does not end the process. */
  onCrash(listener: (error: unknown) => void): () => void
  /** Calls the listener with each of Node's own warnings, which Node then does not print. */
  onWarning(listener: (message: string) => void): void
}

export function processHost(): Host {
  const opened = new Set<Stream>()
  const terminal = realTerminal()
  return {
    env: takeEnvironment(),
    runtime: realRuntime(),
    hasTextArguments: () =>
      unlessSystemFails(() => isUtf8(readFileSync('/proc/self/cmdline'))) ?? true,
    // Opening a standard stream takes time and changes its mode, so each is opened at first use.
    get stdin() {
      // Node takes a directory for an empty input; reading it fails as for any other file.
      return isDirectory(0) ? createReadStream('', { fd: 0, autoClose: false }) : process.stdin
    },
    hasFileInput: () => unlessSystemFails(isFullFile) ?? false,
    get stdout() {
      opened.add('stdout')
      return process.stdout
    },
    get stderr() {
      opened.add('stderr')
      return process.stderr
    },
    writeAtOnce(stream, bytes) {
      // Only once, and never if the stream may still have data to write.
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
    onResize: (listener) => listen(process.stdout, 'resize', listener),
    now: () => new Date(),
    // A user without an entry in passwd has none.
    home: () =>
      process.env.HOME ||
      unlessSystemFails(() => process.getBuiltinModule('node:os').homedir()) ||
      undefined,
    onSignal(listener) {
      const stops = (['SIGINT', 'SIGTERM'] as const).map((signal) =>
        listen(process, signal, listener),
      )
      return () => {
        for (const stop of stops) stop()
      }
    },
    onTerminalLost: guardTerminal,
    onCrash: (listener) => listen(process, 'uncaughtException', listener),
    onWarning(listener) {
      // Without a listener warnings are switched off, as by NODE_NO_WARNINGS.
      if (process.listenerCount('warning') === 0) return
      process.removeAllListeners('warning')
      process.on('warning', ({ message }) => listener(message))
    },
  }
}

type Stream = 'stdout' | 'stderr'

/** Calls the listener at each event until the returned function is called. */
function listen<Argument>(
  emitter: NodeJS.EventEmitter,
  event: string,
  listener: (argument: Argument) => void,
) {
  emitter.on(event, listener)
  return () => void emitter.off(event, listener)
}

/** By then the process is suspended, and the timer runs when it continues. */
const suspensionMilliseconds = 50

function guardTerminal(restore: () => void, takeBack: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  /** Without a listener, the signal has its usual effect. */
  const yieldTo = (signal: NodeJS.Signals) => {
    restore()
    process.off(signal, yieldTo)
    process.kill(process.pid, signal)
    // The timer runs when the process continues, or at once if no shell could continue it.
    timer = setTimeout(() => {
      process.on(signal, yieldTo)
      takeBack()
    }, suspensionMilliseconds)
  }
  const signals = ['SIGTSTP', 'SIGHUP', 'SIGQUIT'] as const
  for (const signal of signals) process.on(signal, yieldTo)
  return () => {
    for (const signal of signals) process.off(signal, yieldTo)
    clearTimeout(timer)
  }
}

/** The number of bytes that every new socket accepts at once, such as one from a Node program. */
const smallestSocket = 16 * 1024

/** Exported for its test: a test cannot use the real streams of its process. */
export function writeAtOnce(file: number, bytes: Uint8Array): number {
  const stats = fstatSync(file)
  if (stats.isFIFO()) return writeToPipe(file, bytes)
  return stats.isFile() || (stats.isSocket() && bytes.length <= smallestSocket)
    ? writeSync(file, bytes)
    : 0
}

/**
 * A write to a full pipe would block the process, deaf to signals, until the reader reads. So it
 * goes through a descriptor of its own that never blocks. Other writers may share the first one, so
 * its mode must not change. Where it cannot be opened (no /proc, another user's pipe), the stream
 * writes instead.
 */
function writeToPipe(file: number, bytes: Uint8Array): number {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK
  const pipe = unlessSystemFails(() => openSync(`/proc/self/fd/${file}`, flags))
  if (pipe === undefined) return 0
  try {
    return writeSync(pipe, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  } finally {
    closeSync(pipe)
  }
}

/** Checks each stream when it matters: `node:tty` loads all of Node's network modules. */
function realTerminal(): Host['terminal'] {
  // Pipes, files and closed descriptors are not terminals.
  const isDevice = (file: number) =>
    unlessSystemFails(() => fstatSync(file).isCharacterDevice()) ?? false
  const isTerminal = (file: number) =>
    isDevice(file) && process.getBuiltinModule('node:tty').isatty(file)
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

function isFullFile(): boolean {
  const stats = fstatSync(0)
  return stats.isFile() && stats.size > 0
}

const isDirectory = (file: number) =>
  unlessSystemFails(() => fstatSync(file).isDirectory()) ?? false

/**
 * Removes the API key from the process: Node's diagnostic reports and child processes show every
 * variable.
 */
function takeEnvironment(): Host['env'] {
  const env = { ...process.env }
  delete process.env.PETSTORE_API_KEY
  return env
}

export function realRuntime(): Host['runtime'] {
  return { node: process.versions.node, system: `${process.platform} ${process.arch}` }
}
