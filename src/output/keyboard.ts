import { createInterface, emitKeypressEvents, type Key } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import type { Host } from '../platform/host.ts'

/** A letter, or a key with a name such as `return`. */
interface KeyPress {
  readonly text: string
  readonly key: Key
}

export type Keyboard = ReturnType<typeof openKeyboard>

/**
 * Reads the terminal from the first question to the last, so that it echoes nothing between them,
 * and what arrives early waits for its question. Questions go to stderr: stdout is for data.
 */
export function openKeyboard({ stdin, stderr, columns }: Host, cancel: () => void) {
  let isHidden = false
  const screen = new Writable({
    write: (chunk, _encoding, written) => {
      // At once: what waits could be overtaken by a question, or show a key after its question.
      if (!isHidden) stderr.write(chunk)
      written()
    }
  })
  // It edits the line that `write` types into it. If it read the terminal itself, it would take
  // answers before their questions.
  const editor = createInterface({
    input: rawInput(stdin),
    output: Object.defineProperty(screen, 'columns', { get: columns }),
    terminal: true,
    historySize: 0,
    crlfDelay: Number.POSITIVE_INFINITY
  })
  // By Ctrl-D.
  editor.on('close', cancel)

  const waiting: KeyPress[] = []
  let take: ((press: KeyPress) => void) | undefined
  const passOn = () => {
    while (take !== undefined) {
      const press = waiting.shift()
      if (press === undefined) return
      take(press)
    }
  }
  const receive = (text = '', key: Key = {}) => {
    // Also while no question waits, such as during a request.
    if (key.ctrl && key.name === 'c') return cancel()
    waiting.push({ text, key })
    passOn()
  }
  emitKeypressEvents(stdin)
  stdin.on('keypress', receive).on('end', cancel).on('error', cancel)

  /** Passes keys on until the answer is there. */
  const answered = <Answer>(
    begin: (resolve: (answer: Answer) => void) => (press: KeyPress) => void
  ) =>
    new Promise<Answer>(resolve => {
      take = begin(answer => {
        // The keys after it are for the next question.
        take = undefined
        resolve(answer)
      })
      passOn()
    })

  return {
    show: (text: string) => void stderr.write(text),
    readLine: (prompt: string, hidden: boolean) =>
      answered<string>(resolve => {
        isHidden = hidden
        editor.setPrompt(prompt)
        if (hidden) stderr.write(prompt)
        else editor.prompt()
        editor.once('line', line => {
          if (hidden) stderr.write('\n')
          isHidden = false
          resolve(line)
        })
        return ({ text, key }) => editor.write(text, key)
      }),
    /** Until the function returns true. */
    readKeys: (isLast: (press: { readonly text: string; readonly name: string }) => boolean) =>
      answered<void>(resolve => ({ text, key }) => {
        if (key.ctrl && key.name === 'd') cancel()
        else if (isLast({ text, name: key.name ?? '' })) resolve()
      }),
    close: () => {
      stdin.off('keypress', receive).off('end', cancel).off('error', cancel)
      stdin.pause()
      editor.close()
    }
  }
}

/** What the editor needs of a terminal: its raw mode, which Ctrl-Z and `fg` change too. */
function rawInput(stdin: Readable) {
  const setRawMode = (isRaw: boolean) => (stdin as Partial<ReadStream>).setRawMode?.(isRaw)
  return Object.assign(new Readable({ read: () => {} }), { setRawMode })
}
