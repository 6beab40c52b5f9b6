import { Failure } from '../failure.ts'
import type { Paint } from '../output/paint.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { orAborted } from '../system/promises.ts'
import { visibleLine } from '../text/visible.ts'
import { wrapped } from '../text/width.ts'
import { type Keyboard, openKeyboard, type Question } from './keyboard.ts'

/** Where prompts are off, the refusal is thrown. */
export type OpenPrompt = (refusal: Failure) => Prompt

/** Does work that asks questions. Their answers may arrive at once: each waits for its question. */
export async function withPrompts<Value>(
  parts: { host: Host; paint: Paint; interruption: Interruption; canPrompt: boolean },
  work: (openPrompt: OpenPrompt) => Promise<Value>
): Promise<Value> {
  const { host, paint, interruption, canPrompt } = parts
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
  const ask = asking(keyboard, paint)
  const text = <Value>(question: string, read: (answer: string) => Value) =>
    ask(() => label(question), read, { isEchoed: true })

  return {
    text,
    /** The answer does not show on the screen. */
    secret: <Value>(question: string, read: (answer: string) => Value) => {
      const readHidden = (answer: string) => {
        keyboard.show('\n')
        return read(answer)
      }
      return ask(() => label(`${question} (hidden)`), readHidden, { isEchoed: false })
    },
    /** No for all but `y` and `yes`. */
    confirm: async (question: string) => {
      const answer = await text(`${question} (y/N)`, String)
      return /^y(es)?$/i.test(answer.trim())
    },
    /** One of the options, by the arrows or its first letters. Only Enter takes it. */
    choice: async <Option extends string>(
      question: string,
      options: readonly Option[],
      current = options[0] as Option
    ) => {
      const first = Math.max(0, options.indexOf(current))
      let chosen = first
      const lineOf = (option: Option, index: number) => {
        const line = visibleLine(option)
        return index === chosen ? paint('good', `> ${line}\n`) : `  ${line}\n`
      }
      const list = () => options.map(lineOf).join('')
      const erase = (lines: number) => keyboard.show(`\u001b[${lines}A\u001b[J`)
      /** Whether an option begins with what was typed; without letters, the arrows have chosen. */
      const isFound = (typed: string) => {
        const named = options.findIndex(option => option.startsWith(typed))
        if (typed !== '' && named >= 0) chosen = named
        return named >= 0
      }
      const onKey = (step: number, typed: string) => {
        chosen = (chosen + step + options.length) % options.length
        isFound(typed)
        erase(options.length)
        keyboard.show(list())
      }
      const read = (typed: string) => {
        erase(options.length + 1)
        if (isFound(typed)) return options[chosen] as Option
        chosen = first
        throw new Failure('usage', `nothing here begins with '${typed}'`)
      }
      const prompt = () => `${label(question)}\n${list()}`
      const answer = await ask(prompt, read, { isEchoed: false, onKey })
      keyboard.show(`${label(question)}${visibleLine(answer)}\n`)
      return answer
    }
  }
}

/** Asks until the answer can be read. */
function asking(keyboard: Keyboard, paint: Paint) {
  return async <Value>(prompt: () => string, read: (answer: string) => Value, asked: Question) => {
    for (;;) {
      const answer = await keyboard.readLine(prompt(), asked)
      try {
        return read(answer)
      } catch (error) {
        // A bug has no code.
        if (!(error instanceof Error && 'code' in error)) throw error
        // The problem may repeat what was typed.
        const problem = await wrapped(visibleLine(error.message), keyboard.columns())
        keyboard.show(`${paint('notice', problem)}\n`)
      }
    }
  }
}
