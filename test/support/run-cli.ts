import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { main } from '../../src/main.ts'
import { type Host, realRuntime, type Signal } from '../../src/platform/host.ts'
import { temporaryDirectory } from './temp.ts'

interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What is piped in; a stream where it matters when it comes. Nothing by default. */
  readonly stdin?: string | Readable
  /** Which streams are terminals; `true` for all three, none by default. */
  readonly terminal?: boolean | Partial<Host['terminal']>
  readonly columns?: number
  readonly now?: Date | (() => Date)
  /** A fresh one by default; give the same to runs that share saved files. */
  readonly home?: string
  /** The file that was run, if it needs no Node. */
  readonly standalone?: string
  /** Sent when it resolves. */
  readonly signal?: Promise<Signal>
}

interface RunResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program in this process, on a machine made for the test. */
export async function runCli(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const stdout = collector()
  const stderr = collector()
  const { terminal = false, now = new Date(), columns = 80, stdin = '' } = options
  const home = options.home ?? temporaryDirectory()
  const isTerminal = typeof terminal === 'boolean' ? { stdin: terminal, stdout: terminal, stderr: terminal } : terminal
  const listeners = new Set<(signal: Signal) => void>()
  options.signal?.then((signal) => {
    for (const listener of listeners) listener(signal)
  })

  const host: Host = {
    runtime: realRuntime(),
    standalone: () => options.standalone,
    env: { HOME: home, ...options.env },
    stdin: typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]) : stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    terminal: { stdin: false, stdout: false, stderr: false, ...isTerminal },
    columns: () => columns,
    rows: () => 24,
    onResize: () => () => {},
    now: typeof now === 'function' ? now : () => now,
    home: () => home,
    // What crashes here is the test's own fault, and for its runner to tell.
    onCrash: () => () => {},
    onWarning: () => {},
    onContinue: () => () => {},
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  const code = await main(argv, host)
  return { code, stdout: await stdout.text(), stderr: await stderr.text() }
}

/** A stream that keeps what is written to it. */
function collector() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, written) {
      chunks.push(chunk)
      written()
    },
  })
  const text = async () => {
    if (!stream.writableFinished && !stream.destroyed) {
      stream.end()
      await once(stream, 'close')
    }
    return Buffer.concat(chunks).toString()
  }
  return { stream, text }
}
