import { createInterface, type Key } from 'node:readline'
import { Writable } from 'node:stream'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { visibleLine } from '../text/visible.ts'

export interface Question {
  readonly isEchoed: boolean
  /** Hears at each key where it moves, -1 is up, and what was typed since it last moved. */
  readonly onKey?: (step: number, typed: string) => void
}

export type Keyboard = ReturnType<typeof openKeyboard>

/**
 * Reads the terminal from the first question to the last: a line that arrives early waits for its
 * question, and does not show before it. Questions go to stderr: stdout is for data.
 */
export function openKeyboard(host: Host, { signal, interrupt }: Interruption) {
  const { stdin, stderr, columns } = host
  let question: Question | undefined
  const show = (text: string) => void stderr.write(text)
  const screen = new Writable({
    write: (chunk, _encoding, written) => {
      if (question?.isEchoed) show(chunk)
      written()
    }
  })
  const editor = createInterface({
    input: stdin,
    output: Object.assign(screen, { columns: columns() }),
    terminal: true,
    historySize: 0
  })
  editor.on('line', () => {
    // The keys after it are for the next question.
    question = undefined
  })
  // By Ctrl-C, by Ctrl-D, or where the input ends.
  editor.on('close', interrupt)
  // After Ctrl-Z and `fg`.
  editor.on('SIGCONT', () => editor.resume())
  stdin.on('keypress', (_text, { name }: Key) => {
    if (question?.onKey === undefined) return
    const step = name === 'up' ? -1 : Number(name === 'down')
    // Ctrl-U removes what was typed.
    if (step !== 0) editor.write(null, { ctrl: true, name: 'u' })
    question.onKey(step, editor.line)
  })
  const lines = editor[Symbol.asyncIterator]()

  return {
    show,
    columns,
    readLine: async (prompt: string, asked: Question): Promise<string> => {
      question = asked
      editor.setPrompt(prompt)
      if (asked.isEchoed) editor.prompt(true)
      else show(prompt)
      const { value: line = '' } = await lines.next()
      // Otherwise the work would go on with what was canceled.
      signal.throwIfAborted()
      const isEarly = question !== undefined
      if (isEarly && asked.isEchoed) show(`${visibleLine(line)}\n`)
      question = undefined
      return line
    },
    close: () => editor.off('close', interrupt).close()
  }
}
