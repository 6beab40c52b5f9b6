import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { cleanEnvironment } from './spawn-cli.ts'
import { temporaryDirectory } from './temp.ts'

const run = promisify(execFile)

interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly home?: string
}

export interface Terminal {
  /** Types the text literally. */
  type(text: string): Promise<void>
  /** Presses keys by tmux's names: `Enter`, `Up`, `C-c`, `BSpace`. */
  press(...keys: string[]): Promise<void>
  /**
   * Resolves with the screen when the text appears on it; rejects, with the screen, if it does not
   * appear.
   */
  waitFor(text: string | RegExp, options?: { readonly within?: number }): Promise<string>
  /** The text on the screen, including scrolled lines, without trailing spaces. */
  screen(options?: { readonly withEscapes?: boolean }): Promise<string>
  /** A program can also change the title, the clipboard and the cursor. */
  title(): Promise<string>
  clipboard(): Promise<string>
  isCursorShown(): Promise<boolean>
  /**
   * Waits for the command to end. The code is 128 plus the signal's number if a signal ended it.
   */
  exitCode(options?: { readonly within?: number }): Promise<number>
  close(): Promise<void>
}

const pollMilliseconds = 40
const waitMilliseconds = 20_000

/**
 * Runs a command and writes its exit code to the file `$0`, because tmux does not always report it.
 * The shell ignores signals from the keyboard, but not a hangup.
 */
const noteExitCode = 'trap : INT QUIT; "$@"; echo $? >"$0"'

/**
 * Starts a command in a real terminal: a separate tmux server, closed when the current test ends.
 * Only for tests inside `needs('tmux')`.
 */
export async function openTerminal(
  command: readonly string[],
  options: TerminalOptions = {}
): Promise<Terminal> {
  const directory = temporaryDirectory()
  const socket = join(directory, 'tmux')
  const exitCodePath = join(directory, 'exit-code')
  const configuration = join(directory, 'tmux.conf')
  // The screen remains after the command has ended, without any text of tmux itself.
  writeFileSync(
    configuration,
    [
      'set -g remain-on-exit on',
      "set -g remain-on-exit-format ''",
      'set -g status off',
      'set -g escape-time 0',
      ''
    ].join('\n')
  )
  const { columns = 80, rows = 24, home = temporaryDirectory(), cwd = home } = options
  const env = { ...cleanEnvironment(home, options.env), TERM: 'xterm-256color' }
  const tmux = async (...words: string[]) =>
    (await run('tmux', ['-u', '-S', socket, '-f', configuration, ...words], { env })).stdout

  const close = async () => {
    // The server may already have ended.
    await tmux('kill-server').catch(() => {})
    rmSync(socket, { force: true })
  }
  onTestFinished(close)
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux(
    'new-session',
    '-d',
    ...size,
    '-c',
    cwd,
    '--',
    'sh',
    '-c',
    noteExitCode,
    exitCodePath,
    ...command
  )

  const screen: Terminal['screen'] = async ({ withEscapes = false } = {}) => {
    const text = await tmux('capture-pane', '-p', '-J', '-S', '-', ...(withEscapes ? ['-e'] : []))
    return text.replace(/[ \t]+$/gm, '').trimEnd()
  }

  return {
    screen,
    close,
    type: async text => {
      await tmux('send-keys', '-l', '--', text)
    },
    press: async (...keys) => {
      await tmux('send-keys', '--', ...keys)
    },
    title: async () => (await tmux('display-message', '-p', '#{pane_title}')).trim(),
    clipboard: () => tmux('list-buffers'),
    isCursorShown: async () =>
      (await tmux('display-message', '-p', '#{cursor_flag}')).trim() === '1',
    waitFor: (text, { within = waitMilliseconds } = {}) =>
      poll(within, async () => {
        const shown = await screen()
        const isThere = typeof text === 'string' ? shown.includes(text) : text.test(shown)
        return isThere
          ? { found: shown }
          : { missing: `${text} did not appear; the screen:\n${shown}` }
      }),
    exitCode: ({ within = waitMilliseconds } = {}) =>
      poll(within, async () => {
        const code = await readFile(exitCodePath, 'utf8').catch(() => '')
        return code.endsWith('\n')
          ? { found: Number(code) }
          : { missing: `it has not ended; the screen:\n${await screen()}` }
      })
  }
}

/** A terminal has no events for its content, so this checks it repeatedly until the deadline. */
async function poll<T>(
  within: number,
  look: () => Promise<{ found: T } | { missing: string }>
): Promise<T> {
  const deadline = Date.now() + within
  for (;;) {
    const seen = await look()
    if ('found' in seen) return seen.found
    if (Date.now() > deadline) throw new Error(seen.missing)
    await delay(pollMilliseconds)
  }
}
