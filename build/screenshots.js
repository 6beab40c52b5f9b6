/** `npm run screenshots`: types command lines into a real terminal and draws what it shows, for the README. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { terminalSvg, themes } from './terminal-svg.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const columns = 104

const scenes = [
  {
    name: 'first-steps',
    title: 'petstore lists, adds and counts animals of the local service',
    lines: [
      'petstore pets list --env local --status available',
      'petstore pets add --env local --name "Žofka 🐈" --category-id 9007199254740993',
      'petstore pets list --env local | jq length',
    ],
  },
  {
    name: 'errors',
    title: 'petstore says what failed, and the command to run next',
    lines: ['petstore pets lst', 'petstore pets list', 'petstore pets get 999 --env local; echo "ended with $?"'],
  },
]

for (const { name, title, lines } of scenes) {
  const screen = await play(lines)
  mkdirSync(join(root, 'docs'), { recursive: true })
  for (const [theme, look] of Object.entries(themes)) {
    writeFileSync(join(root, 'docs', `${name}-${theme}.svg`), terminalSvg(screen, { theme: look, columns, title }))
  }
}

/**
 * What a terminal shows after these lines were typed into bash, on a machine where nothing is set up.
 *
 * @param {readonly string[]} lines
 */
async function play(lines) {
  const home = mkdtempSync(join(tmpdir(), 'petstore-screenshots-'))
  const PATH = [home, process.env.PATH].join(delimiter)
  symlinkSync(join(root, 'bin', 'petstore.js'), join(home, 'petstore'))
  writeFileSync(join(home, 'tmux.conf'), 'set -g status off\n')
  /** @param {string[]} words */
  const tmux = (...words) =>
    execFileSync('tmux', ['-u', '-S', join(home, 'socket'), '-f', join(home, 'tmux.conf'), ...words], {
      cwd: home,
      encoding: 'utf8',
      env: { HOME: home, PATH, LANG: 'C.UTF-8', TERM: 'xterm-256color', PS1: '$ ', HISTFILE: '' },
    })
  const prompts = () => tmux('capture-pane', '-p').match(/^\$/gm)?.length ?? 0
  /** @param {number} count */
  const prompted = async (count) => {
    while (prompts() < count) await delay(50)
  }
  try {
    tmux('new-session', '-d', '-x', String(columns), '-y', '60', 'bash', '--norc', '--noprofile', '-i')
    for (const [index, line] of lines.entries()) {
      await prompted(index + 1)
      tmux('send-keys', '-l', `${line}\r`)
    }
    await prompted(lines.length + 1)
    return tmux('capture-pane', '-p', '-e').trimEnd().replace(/\n\$$/, '')
  } finally {
    tmux('kill-server')
    rmSync(home, { recursive: true, maxRetries: 5 })
  }
}
