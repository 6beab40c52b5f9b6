import { homedir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { isatty } from 'node:tty'

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
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Which of the three streams are terminals. */
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** How wide the terminal is now; 80 where nobody knows. */
  columns(): number
  now(): Date
  /** The home directory, or undefined where this user has none. */
  home(): string | undefined
  /** Calls the listener at each SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: Signal) => void): () => void
}

export function processHost(): Host {
  return {
    env: process.env,
    // Opening a standard stream costs time and changes its mode: each is touched at first use.
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    terminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    columns: () => process.stdout.columns || process.stderr.columns || 80,
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
  }
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
    return homedir() || undefined
  } catch {
    return undefined
  }
}
