import type { Failure } from '../failure.ts'
import type { Paint } from '../output/view.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { orAborted } from '../system/promises.ts'
import { visibleLine } from '../text/visible.ts'
import { wrapped } from '../text/width.ts'
import { type Keyboard, openKeyboard } from './keyboard.ts'

interface PromptOptions {
  readonly host: Host
  readonly paint: Paint
  readonly interruption: Interruption
  readonly canPrompt: boolean
}

/** Where prompts are off, the refusal is thrown. */
export type OpenPrompt = (refusal: Failure) => Prompt

/** Does work that asks questions. Their answers may arrive at once: each waits for its question. */
export async function withPrompts<Value>(
  { host, paint, interruption, canPrompt }: PromptOptions,
  work: (openPrompt: OpenPrompt) => Promise<Value>
): Promise<Value> {
  const { signal } = interruption
  let keyboard: Keyboard | undefined
  const openPrompt: OpenPrompt = refusal => {
    if (!canPrompt) throw refusal
    signal.throwIfAborted()
    keyboard ??= openKeyboard(host, interruption)
    return createPrompt(keyboard, paint)
  }
  try {
    return await orAborted(work(openPrompt), signal)
  } finally {
    if (signal.aborted) keyboard?.show('\n')
    keyboard?.close()
  }
}

export type Prompt = ReturnType<typeof createPrompt>

function createPrompt(keyboard: Keyboard, paint: Paint) {
  const label = (question: string) => `${paint('header', visibleLine(question))}: `

  /** Asks until the answer can be read. */
  const text = async <Value>(
    question: string,
    read: (answer: string) => Value,
    isEchoed = true
  ): Promise<Value> => {
    for (;;) {
      const answer = await keyboard.readLine(label(question), { isEchoed })
      if (!isEchoed) keyboard.show('\n')
      try {
        return read(answer)
      } catch (error) {
        // A bug has no code.
        if (!(error instanceof Error && 'code' in error)) throw error
        // The problem may repeat what was typed.
        const line = visibleLine(error.message)
        const problem = await wrapped(line, keyboard.columns())
        keyboard.show(`${paint('notice', problem)}\n`)
      }
    }
  }

  return {
    text,
    /** The answer does not show on the screen. */
    secret: <Value>(question: string, read: (answer: string) => Value) =>
      text(`${question} (hidden)`, read, false),
    /** No for all but `y` and `yes`. */
    confirm: async (question: string) => {
      const answer = await text(`${question} (y/N)`, String)
      return /^y(es)?$/i.test(answer.trim())
    },
    /** One of the options, by the arrows or the first letter, and Enter. */
    choice: async <Option extends string>(
      question: string,
      options: readonly Option[],
      current = options[0] as Option
    ) => {
      let chosen = Math.max(0, options.indexOf(current))
      const lineOf = (option: string, index: number) =>
        index === chosen ? paint('good', `> ${option}`) : `  ${option}`
      const list = () => `${options.map(lineOf).join('\n')}\n`
      const erase = (lines: number) => keyboard.show(`\u001b[${lines}A\u001b[J`)
      const onKey = (name: string) => {
        const step = name === 'up' ? -1 : name === 'down' ? 1 : 0
        const named = options.findIndex(([letter]) => letter === name)
        chosen = named >= 0 ? named : (chosen + step + options.length) % options.length
        erase(options.length)
        keyboard.show(list())
      }
      await keyboard.readLine(`${label(question)}\n${list()}`, { isEchoed: false, onKey })
      const answer = options[chosen] as Option
      erase(options.length + 1)
      keyboard.show(`${label(question)}${answer}\n`)
      return answer
    }
  }
}
