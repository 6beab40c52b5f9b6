import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { Failure } from '../failure.ts'
import { visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import { orAborted, pause } from '../platform/promises.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { movesCursor, type Style } from './view.ts'

/**
 * The problem with an answer, which is then prompted for again; undefined if the answer is valid.
 */
type FindProblem = (answer: string) => string | undefined

interface PromptOptions {
  readonly host: Host
  readonly style: Style
  readonly signal: AbortSignal
  /** Throws the refusal where prompts are off. */
  readonly requireInput: (refusal: Failure) => void
}

/** Where prompts are off, the refusal is thrown. */
export type OpenPrompt = (refusal: Failure) => Prompt

/**
 * Does work that asks questions. Their answers may arrive at once; what arrives with the last one
 * is dropped.
 */
export async function withPrompts<Value>(
  options: PromptOptions,
  work: (openPrompt: OpenPrompt) => Promise<Value>
): Promise<Value> {
  let keyboard: Keyboard | undefined
  const openPrompt: OpenPrompt = refusal => {
    options.requireInput(refusal)
    keyboard ??= openKeyboard(options.host)
    return createPrompt(options, keyboard)
  }
  try {
    return await work(openPrompt)
  } finally {
    await keyboard?.close()
  }
}

export type Prompt = ReturnType<typeof createPrompt>

/** Asks questions in the terminal, on stderr: stdout is for data. */
function createPrompt({ host, style, signal }: PromptOptions, keyboard: Keyboard) {
  const { stderr } = host
  const ask = async (question: string, problemWith: FindProblem, isHidden = false) => {
    const text = `${style.header(visibleLine(question))}: `
    // A dumb terminal edits lines itself. Only the program can hide them.
    const isRaw = isHidden || movesCursor(host)
    const editor = openLineEditor(isHidden ? nowhere() : stderr, text, isRaw)
    const show = () => (isHidden ? void stderr.write(text) : editor.prompt(true))
    const answered = new Promise<string>((resolve, reject) => {
      editor.on('line', answer => {
        if (isHidden) stderr.write('\n')
        const problem = problemWith(answer)
        if (problem === undefined) {
          // The keys after it are for the next question.
          keyboard.stop()
          return resolve(answer)
        }
        // The problem may repeat what was typed.
        stderr.write(`${style.notice(visibleLine(problem))}\n`)
        show()
      })
      // By Ctrl-C, Ctrl-D or the end of the input.
      editor.on('close', () => {
        keyboard.stop()
        reject(new Failure('interrupted', 'interrupted'))
      })
    })
    keyboard.read({ editor, isRaw, show })
    try {
      return await orAborted(answered, signal)
    } catch (error) {
      await print(host, 'stderr', '\n').catch(ignoreUnprinted)
      throw error
    } finally {
      editor.close()
    }
  }

  return {
    /** The answer does not show on the screen. */
    secret: (question: string, problemWith: FindProblem) =>
      ask(`${question} (hidden)`, problemWith, true),
    line: ask,
    /** No for Enter alone. */
    confirm: async (question: string) => {
      const problemWith = (answer: string) =>
        /^(y|yes|n|no|)$/i.test(answer.trim()) ? undefined : 'Use y or n.'
      const answer = await ask(`${question} (y/N)`, problemWith)
      return /^y/i.test(answer.trim())
    }
  }
}

/** Edits a line on the screen, with the keys that are written to it. */
function openLineEditor(output: NodeJS.WritableStream, prompt: string, isTerminal: boolean) {
  return createInterface({
    input: new Readable({ read: () => {} }),
    output,
    terminal: isTerminal,
    historySize: 0,
    prompt,
    // Without one, TAB would become part of the answer.
    completer: (line: string) => [[], line]
  })
}

/** Takes the place of the screen while an answer is hidden. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, written) => written() })

interface Question {
  readonly editor: Interface
  /** Without it, the terminal edits and shows the line itself. */
  readonly isRaw: boolean
  /** Called first, and when the program continues after Ctrl-Z. */
  readonly show: () => void
}

/** Text that was typed or pasted, or a key with another effect. */
interface KeyPress {
  text: string
  readonly key?: Key
}

/** Parts of one paste arrive in shorter intervals. */
const quietMilliseconds = 10

const backspace = '\u007f'

type Keyboard = ReturnType<typeof openKeyboard>

/**
 * Reads the terminal from the first question to the last, so that it echoes nothing between them,
 * and what arrives early waits for its question. An editor that reads standard input itself would
 * take all that arrives, and readline of Node 20 puts pasted text at the end of the line, wherever
 * the cursor is.
 */
function openKeyboard({ stdin, onTerminalLost }: Host) {
  /** Undefined is the end of the input. */
  const waiting: (KeyPress | undefined)[] = []
  let question: Question | undefined
  let isRaw = false
  const setRawMode = (isOn: boolean) => (stdin as Partial<ReadStream>).setRawMode?.(isOn)
  const passOn = () => {
    while (question !== undefined && waiting.length > 0) {
      const press = waiting.shift()
      if (press === undefined) question.editor.close()
      else question.editor.write(press.text, press.key)
    }
  }
  let lastName: string | undefined
  const takeKey = (text = '', key: Key) => {
    // The end of a pasted line may be CRLF.
    const isSecondHalf = key.name === 'enter' && lastName === 'return'
    lastName = key.name
    if (isSecondHalf) return
    const last = waiting.at(-1)
    const isText = text >= ' ' && text !== backspace
    // Text stays together, because the editor measures its line at each piece.
    if (isText && last !== undefined && last.key === undefined) last.text += text
    else waiting.push(isText ? { text } : { text, key })
    // When all that was read is here.
    queueMicrotask(passOn)
  }
  const takeEnd = () => {
    waiting.push(undefined)
    passOn()
  }
  const stopGuarding = onTerminalLost(
    () => setRawMode(false),
    () => {
      setRawMode(isRaw)
      question?.show()
    }
  )
  emitKeypressEvents(stdin)
  stdin.on('keypress', takeKey).on('end', takeEnd).on('error', takeEnd)

  return {
    /** Passes on the keys, the ones that wait first, until `stop` is called. */
    read: (next: Question) => {
      isRaw = next.isRaw
      setRawMode(isRaw)
      stdin.resume()
      // Not before: the terminal would echo a key that is typed at once.
      next.show()
      question = next
      passOn()
    },
    /** From now on, keys wait for the next question. */
    stop: () => {
      question = undefined
    },
    /** Drops the keys that wait, and gives the terminal back. */
    close: async () => {
      do {
        waiting.length = 0
        await pause(quietMilliseconds)
      } while (waiting.length > 0)
      stdin.off('keypress', takeKey).off('end', takeEnd).off('error', takeEnd)
      stdin.pause()
      stopGuarding()
      setRawMode(false)
    }
  }
}
