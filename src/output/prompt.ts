import { type CommonOptions, confirm, password, select, text } from '@clack/prompts'
import { Failure } from '../failure.ts'
import { visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'

interface LineDetails {
  readonly placeholder?: string
  /** The problem with an answer, which is then prompted for again; undefined if the answer is valid. */
  readonly problemWith?: (answer: string) => string | undefined
}

/** Asks questions in the terminal, on stderr: stdout is for data. */
export interface Prompt {
  /** The answer does not show on the screen. */
  secret(question: string, details?: Pick<LineDetails, 'problemWith'>): Promise<string>
  line(question: string, details?: LineDetails): Promise<string>
  choice(question: string, choices: readonly string[]): Promise<string>
  confirm(question: string): Promise<boolean>
}

/** The library draws its own cursor. */
const [hideCursor, showCursor] = ['\u001b[?25l', '\u001b[?25h']

export function createPrompt(host: Host, signal: AbortSignal): Prompt {
  const ask = async <Answer>(
    question: string,
    show: (shared: CommonOptions & { message: string }) => Promise<Answer>,
  ): Promise<Exclude<Answer, symbol>> => {
    const ending = listenForEnd(host.stdin)
    const stopSuspending = host.onTerminalLost(
      () => host.stderr.write(showCursor),
      () => {
        host.stderr.write(hideCursor)
        // Node stops reading when the process continues after Ctrl-Z, and without input the process would end.
        host.stdin.resume()
      },
    )
    try {
      const answer = await show({
        message: visibleLine(question),
        input: host.stdin,
        output: host.stderr,
        signal: AbortSignal.any([signal, ending.signal]),
      })
      signal.throwIfAborted()
      ending.signal.throwIfAborted()
      // The library reads Ctrl-C as a key, not a signal, and returns a symbol for it.
      if (typeof answer === 'symbol') throw new Failure('interrupted', 'interrupted', { signal: 'SIGINT' })
      return answer as Exclude<Answer, symbol>
    } finally {
      stopSuspending()
      ending.stop()
    }
  }
  return {
    secret: (question, { problemWith } = {}) =>
      ask(question, (shared) => password({ mask: '*', validate: showing(problemWith), ...shared })),
    line: (question, { placeholder, problemWith } = {}) => {
      const hint = placeholder === undefined ? {} : { placeholder }
      return ask(question, (shared) => text({ ...hint, validate: showing(problemWith), ...shared }))
    },
    choice: (question, choices) => {
      const options = choices.map((value) => ({ value }))
      return ask(question, (shared) => select({ options, ...shared }))
    },
    confirm: (question) => ask(question, (shared) => confirm({ initialValue: false, ...shared })),
  }
}

/** The library waits forever after the end of the input, and after Ctrl-D, which makes Node stop reading. */
function listenForEnd(input: Host['stdin']): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const end = () => controller.abort(new Failure('interrupted', 'canceled with Ctrl-D', { signal: 'SIGINT' }))
  // After Ctrl-Z, Node considers the input paused, and only leaves raw mode.
  const hasStopped = () => input.isPaused() || ('isRaw' in input && input.isRaw === false)
  const onKey = (_character: string | undefined, key: { readonly ctrl?: boolean; readonly name?: string }) => {
    // With text at the cursor, Ctrl-D deletes instead, and Node continues to read.
    if (key.ctrl && key.name === 'd') setImmediate(() => hasStopped() && end())
  }
  input.on('keypress', onKey)
  input.on('end', end)
  return {
    signal: controller.signal,
    stop() {
      input.off('keypress', onKey)
      input.off('end', end)
    },
  }
}

/** The problem may repeat what was typed. */
function showing(problemWith: LineDetails['problemWith']): (answer: string | undefined) => string | undefined {
  return (answer = '') => {
    const problem = problemWith?.(answer)
    return problem && visibleLine(problem)
  }
}
