import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { errorCode, unlessSystemFails } from './errno.ts'
import { statsOf } from './same-file.ts'

export type Signal = (typeof signals)[number]

/** The process as a value; tests create their own. */
export type Host = ReturnType<typeof processHost>

export function processHost() {
  // Without the API key in the process: Node's diagnostic reports and child processes show every
  // variable.
  const env: Readonly<Record<string, string | undefined>> = { ...process.env }
  delete process.env.PETSTORE_API_KEY
  const opened = new Set<Stream>()
  /** Which of the three streams are terminals. */
  const terminal = {
    get stdin() {
      return isTerminal(0)
    },
    get stdout() {
      return isTerminal(1)
    },
    get stderr() {
      return isTerminal(2)
    }
  }
  return {
    env,
    terminal,
    /** The version of Node, and the operating system. */
    runtime: { node: process.versions.node, system: `${process.platform} ${process.arch}` },
    // Opening a standard stream takes time and changes its mode, so each is opened at first use.
    get stdin(): Readable {
      return process.stdin
    },
    get stdout(): Writable {
      opened.add('stdout')
      return process.stdout
    },
    get stderr(): Writable {
      opened.add('stderr')
      return process.stderr
    },
    /**
     * Writes without opening the stream, which takes longer than all other work of `--version`, and
     * returns how many bytes were written: often none, because it never waits for a slow reader.
     */
    writeAtOnce(stream: Stream, bytes: Uint8Array) {
      // Only once, and never if the stream may still have data to write.
      if (opened.has(stream)) return 0
      opened.add(stream)
      return writeAtOnce(stream === 'stdout' ? 1 : 2, bytes)
    },
    /** The terminal's current width; 80 if it is not known. */
    columns() {
      const stream = terminal.stdout ? process.stdout : terminal.stderr ? process.stderr : undefined
      return stream?.columns || 80
    },
    now: () => new Date(),
    /** The home directory; undefined if this user has none: no entry in passwd. */
    home: () =>
      process.env.HOME ||
      unlessSystemFails(() => process.getBuiltinModule('node:os').homedir()) ||
      undefined,
    onSignal: (listener: (signal: Signal) => void) => listen(process, signals, listener),
    /** Calls the listener with each uncaught error, which then does not end the process. */
    onCrash: (listener: (error: unknown) => void) =>
      listen(process, ['uncaughtException'], listener),
    /** Calls the listener with each of Node's own warnings, which Node then does not print. */
    onWarning(listener: (message: string) => void) {
      process.removeAllListeners('warning')
      // A user cannot act on an experiment of Node, such as its SQLite until 24.15.
      process.on(
        'warning',
        ({ name, message }) => name === 'ExperimentalWarning' || listener(message)
      )
    }
  }
}

type Stream = 'stdout' | 'stderr'

const signals = ['SIGINT', 'SIGTERM'] as const

// Pipes, files and closed descriptors are not terminals. `node:tty` loads all of Node's network
// modules, so each stream is checked when it matters.
const isTerminal = (file: number) =>
  statsOf(file)?.isCharacterDevice() ? process.getBuiltinModule('node:tty').isatty(file) : false

/** Calls the listener at each event until the returned function is called. */
function listen<Argument>(
  emitter: NodeJS.EventEmitter,
  events: readonly string[],
  listener: (argument: Argument) => void
) {
  for (const event of events) emitter.on(event, listener)
  return () => {
    for (const event of events) emitter.off(event, listener)
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
function writeToPipe(file: number, bytes: Uint8Array) {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK
  const pipe = unlessSystemFails(() => openSync(`/proc/self/fd/${file}`, flags))
  if (pipe === undefined) return 0
  try {
    return writeSync(pipe, bytes)
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0
    throw error
  } finally {
    closeSync(pipe)
  }
}
