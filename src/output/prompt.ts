import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from '../failure.ts'
import { visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import { orAborted } from '../platform/promises.ts'
import { print } from './stream.ts'
import type { Style } from './view.ts'

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

export function createPrompt(host: Host, style: Style, signal: AbortSignal): Prompt {
  const { stdin, stderr } = host
  const setRawMode = (isRaw: boolean) => {
    if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(isRaw)
  }
  const ask = async (question: string, problemWith: FindProblem, isHidden = false) => {
    const text = `${style.header(visibleLine(question))}: `
    // A dumb terminal edits lines itself. Only the program can hide them.
    const isEdited = isHidden || host.env.TERM !== 'dumb'
    // It takes the place of the screen while an answer is hidden.
    const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() })
    const lines = createInterface({
      input: stdin,
      output: isHidden ? nowhere : stderr,
      terminal: isEdited,
      historySize: 0,
      prompt: text,
      // Without one, TAB would become part of the answer.
      completer: (line: string) => [[], line],
    })
    const show = () => {
      if (isHidden) stderr.write(text)
      lines.prompt(true)
    }
    const stopGuarding = host.onTerminalLost(
      () => setRawMode(false),
      () => {
        setRawMode(isEdited)
        show()
      },
    )
    // After Ctrl-Z and fg, readline pauses.
    lines.on('SIGCONT', () => setImmediate(() => lines.resume()))

    const answered = new Promise<string>((resolve, reject) => {
      lines.on('line', (answer) => {
        if (isHidden) stderr.write('\n')
        const problem = problemWith(answer)
        if (problem === undefined) return resolve(answer)
        // The problem may repeat what was typed.
        stderr.write(`${style.notice(visibleLine(problem))}\n`)
        show()
      })
      lines.on('SIGINT', () =>
        reject(new Failure('interrupted', 'interrupted', { signal: 'SIGINT' })),
      )
      lines.on('close', () =>
        reject(new Failure('interrupted', 'canceled with Ctrl-D', { signal: 'SIGINT' })),
      )
    })
    show()
    try {
      return await orAborted(answered, signal)
    } catch (error) {
      await print(host, 'stderr', '\n').catch(() => {})
      throw error
    } finally {
      stopGuarding()
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
