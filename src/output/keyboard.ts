import { emitKeypressEvents, type Key } from 'node:readline'
import type { Host } from '../platform/host.ts'
import { pause } from '../platform/promises.ts'

/** Text that was typed or pasted, or a key with another effect. */
export interface KeyPress {
  text: string
  readonly key?: Key
}

interface KeyReader {
  /** Undefined at the end of the input. */
  take(press: KeyPress | undefined): void
  /** Without it, the terminal edits and shows the line itself. */
  readonly isRaw: boolean
  /** Shows the question: first, and when the program continues after Ctrl-Z. */
  show(): void
}

/** The keys of all questions of a run. */
export interface Keyboard {
  /** Passes on the keys, the ones that wait first, until `stop` is called. */
  read(reader: KeyReader): void
  /** From now on, keys wait for the next reader. */
  stop(): void
  /** Drops the keys that wait, and gives the terminal back. */
  close(): Promise<void>
}

/** Parts of one paste arrive in shorter intervals. */
const quietMilliseconds = 10

const backspace = '\u007f'

/**
 * Reads the terminal from the first question to the last, so that it echoes nothing between them,
 * and what arrives early waits for its question. An editor that reads standard input itself would
 * take all that arrives, and readline of Node 20 puts pasted text at the end of the line, wherever
 * the cursor is.
 */
export function openKeyboard({ stdin, onTerminalLost }: Host): Keyboard {
  const waiting: (KeyPress | undefined)[] = []
  let reader: KeyReader | undefined
  let isRaw = false
  const setRawMode = (isOn: boolean) => {
    if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(isOn)
  }
  const passOn = () => {
    while (reader !== undefined && waiting.length > 0) reader.take(waiting.shift())
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
      reader?.show()
    },
  )
  emitKeypressEvents(stdin)
  stdin.on('keypress', takeKey).on('end', takeEnd).on('error', takeEnd)

  return {
    read: (next) => {
      isRaw = next.isRaw
      setRawMode(isRaw)
      stdin.resume()
      // Not before: the terminal would echo a key that is typed at once.
      next.show()
      reader = next
      passOn()
    },
    stop: () => {
      reader = undefined
    },
    close: async () => {
      do {
        waiting.length = 0
        await pause(quietMilliseconds)
      } while (waiting.length > 0)
      stdin.off('keypress', takeKey).off('end', takeEnd).off('error', takeEnd)
      stdin.pause()
      stopGuarding()
      setRawMode(false)
    },
  }
}
