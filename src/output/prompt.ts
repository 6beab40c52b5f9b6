import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { Failure } from '../failure.ts'
import { visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import { orAborted } from '../platform/promises.ts'
import { type Keyboard, type KeyPress, openKeyboard } from './keyboard.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { movesCursor, type Style } from './view.ts'

/**
 * The problem with an answer, which is then prompted for again; undefined if the answer is valid.
 */
type FindProblem = (answer: string) => string | undefined

/** Asks questions in the terminal, on stderr: stdout is for data. */
export interface Prompt {
  /** The answer does not show on the screen. */
  secret(question: string, problemWith: FindProblem): Promise<string>
  line(question: string, problemWith: FindProblem): Promise<string>
  /** No for Enter alone. */
  confirm(question: string): Promise<boolean>
}

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
  work: (openPrompt: OpenPrompt) => Promise<Value>,
): Promise<Value> {
  let keyboard: Keyboard | undefined
  const openPrompt: OpenPrompt = (refusal) => {
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

function createPrompt({ host, style, signal }: PromptOptions, keyboard: Keyboard): Prompt {
  const { stderr } = host
  const ask = async (question: string, problemWith: FindProblem, isHidden = false) => {
    const text = `${style.header(visibleLine(question))}: `
    // A dumb terminal edits lines itself. Only the program can hide them.
    const isRaw = isHidden || movesCursor(host)
    const lines = openLineEditor(isHidden ? nowhere() : stderr, text, isRaw)
    const show = () => {
      if (isHidden) stderr.write(text)
      lines.prompt(true)
    }
    const answered = new Promise<string>((resolve, reject) => {
      lines.on('line', (answer) => {
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
      const cancel = (message: string) => () => {
        keyboard.stop()
        reject(new Failure('interrupted', message, { signal: 'SIGINT' }))
      }
      lines.on('SIGINT', cancel('interrupted'))
      lines.on('close', cancel('canceled with Ctrl-D'))
    })
    const take = (press: KeyPress | undefined) => {
      if (press === undefined) lines.close()
      else lines.write(press.text, press.key)
    }
    keyboard.read({ take, isRaw, show })
    try {
      return await orAborted(answered, signal)
    } catch (error) {
      await print(host, 'stderr', '\n').catch(ignoreUnprinted)
      throw error
    } finally {
      keyboard.stop()
      lines.close()
    }
  }

  return {
    secret: (question, problemWith) => ask(`${question} (hidden)`, problemWith, true),
    line: ask,
    confirm: async (question) => {
      const problemWith = (answer: string) =>
        /^(y|yes|n|no|)$/i.test(answer.trim()) ? undefined : 'Use y or n.'
      return /^y/i.test((await ask(`${question} (y/N)`, problemWith)).trim())
    },
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
    completer: (line: string) => [[], line],
  })
}

/** Takes the place of the screen while an answer is hidden. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, written) => written() })
