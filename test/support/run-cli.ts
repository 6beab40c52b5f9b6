import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { main } from '../../src/main.ts'
import type { Host, Signal } from '../../src/system/host.ts'
import { realRuntime } from '../settings/host.ts'
import { temporaryDirectory } from './temp.ts'

interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The piped input; a stream if its timing matters. Empty by default. */
  readonly stdin?: string | Readable
  /** Which streams are terminals; `true` for all three, none by default. */
  readonly terminal?: boolean | Partial<Host['terminal']>
  readonly columns?: number
  readonly now?: Date | (() => Date)
  /** A new directory by default. Runs with the same home share saved files. */
  readonly home?: string
  /** The signal to send, when the promise resolves. */
  readonly signal?: Promise<Signal>
  /** The actions of a user at a terminal, in order. Standard input stays open meanwhile. */
  readonly steps?: readonly Step[]
}

/**
 * The keys to type when the output shows the text, or a function to run, which may return a signal
 * to send.
 */
type Step = readonly [
  shown: string,
  act: string | ((output: string) => MaybeSignal | Promise<MaybeSignal>)
]
type MaybeSignal = Signal | undefined

export const ctrlC = (): Signal => 'SIGINT'

interface RunResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program in this process, on a simulated machine. */
export async function runCli(
  argv: readonly string[],
  options: RunOptions = {}
): Promise<RunResult> {
  const { terminal = false, now = new Date(), columns = 80, steps = [] } = options
  const typed = new PassThrough()
  const { stdin = steps.length > 0 ? typed : '' } = options
  const home = options.home ?? temporaryDirectory()
  const isTerminal =
    typeof terminal === 'boolean'
      ? { stdin: terminal, stdout: terminal, stderr: terminal }
      : terminal
  const listeners = new Set<(signal: Signal) => void>()
  const send = (signal: Signal) => {
    for (const listener of listeners) listener(signal)
  }
  options.signal?.then(send)
  const watch = follow(steps, { type: keys => typed.write(keys), send })
  const stdout = collector(watch)
  const stderr = collector(watch)

  const host: Host = {
    runtime: realRuntime(),
    env: { HOME: home, ...options.env },
    stdin:
      typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]) : stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    writeAtOnce: () => 0,
    terminal: { stdin: false, stdout: false, stderr: false, ...isTerminal },
    columns: () => columns,
    now: typeof now === 'function' ? now : () => now,
    home: () => home,
    // Vitest reports a crash as a failure of the test.
    onCrash: () => () => {},
    onWarning: () => {},
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }

  const code = await main(argv, host)
  return { code, stdout: await stdout.text(), stderr: await stderr.text() }
}

/** Runs each step when its text appears. A text counts only after the previous step. */
function follow(
  steps: readonly Step[],
  user: { type(keys: string): void; send(signal: Signal): void }
) {
  const rest = [...steps]
  let output = ''
  let from = 0
  let isBusy = false
  const look = async () => {
    const [next] = rest
    if (next === undefined || isBusy) return
    const [shown, act] = next
    const index = output.indexOf(shown, from)
    if (index < 0) return
    from = index + shown.length
    rest.shift()
    isBusy = true
    // A prompt may start to read keys only after it has printed its text.
    await new Promise(setImmediate)
    if (typeof act === 'string') user.type(act)
    else {
      const signal = await act(output)
      if (signal !== undefined) user.send(signal)
    }
    isBusy = false
    await look()
  }
  return (chunk: Buffer) => {
    if (rest.length === 0) return
    output += stripVTControlCharacters(String(chunk))
    void look()
  }
}

/** A stream that collects what is written to it. */
function collector(watch: (chunk: Buffer) => void) {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, written) {
      chunks.push(chunk)
      watch(chunk)
      written()
    }
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
