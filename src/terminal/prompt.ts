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
    choice: <Option extends string>(
      question: string,
      options: readonly Option[],
      current = options[0] as Option
    ) => choose({ keyboard, paint, heading: label(question) }, options, current)
  }
}

interface Menu {
  readonly keyboard: Keyboard
  readonly paint: Paint
  readonly heading: string
}

/** One of the options, by the arrows or its first letters. Only Enter takes it. */
async function choose<Option extends string>(
  { keyboard, paint, heading }: Menu,
  options: readonly Option[],
  current: Option
) {
  const texts = options.map(visibleLine)
  let chosen = Math.max(0, options.indexOf(current))
  const lineOf = (text: string, index: number) =>
    index === chosen ? paint('good', `> ${text}`) : `  ${text}`
  const list = () => `${texts.map(lineOf).join('\n')}\n`
  const erase = (lines: number) => keyboard.show(`\u001b[${lines}A\u001b[J`)
  /** Whether an option begins with what was typed; without letters, the arrows have chosen. */
  const isFound = (typed: string) => {
    const named = options.findIndex(option => option.startsWith(typed))
    if (typed !== '' && named >= 0) chosen = named
    return named >= 0
  }
  const onKey = (name: string, typed: string) => {
    const step = name === 'up' ? -1 : name === 'down' ? 1 : 0
    chosen = (chosen + step + options.length) % options.length
    isFound(typed)
    erase(options.length)
    keyboard.show(list())
  }
  for (;;) {
    const typed = await keyboard.readLine(`${heading}\n${list()}`, { isEchoed: false, onKey })
    erase(options.length + 1)
    if (isFound(typed)) break
    const problem = `nothing here begins with '${visibleLine(typed)}'`
    keyboard.show(`${paint('notice', problem)}\n`)
  }
  keyboard.show(`${heading}${texts[chosen]}\n`)
  return options[chosen] as Option
}
