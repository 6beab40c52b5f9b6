/** The pictures of the docs: screens of a real terminal after typed command lines. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from './dist.js'
import { terminalSvg, themes } from './terminal-svg.js'

const columns = 96

/** Their output must be the same on every day and machine. */
export const scenes = [
  {
    name: 'first-steps',
    title: 'petstore lists pets of the local service, adds one and counts them',
    lines: [
      'petstore pets list --env local --status available',
      'petstore pets add --env local --name "Žofka 🐈" --category-id 9007199254740993',
      'petstore pets list --env local | jq length',
    ],
  },
  {
    name: 'errors',
    title: 'petstore says what failed and which command to run next',
    lines: [
      'petstore pets lst --env local',
      'petstore pets list --status Sold --env local',
      'petstore messages send hi there --env local',
      'petstore pets list; echo "exit code $?"',
    ],
  },
]

/**
 * The pictures of a scene, by their paths.
 *
 * @param {(typeof scenes)[number]} scene
 * @returns {Promise<Record<string, string>>}
 */
export async function picturesOf({ name, title, lines }) {
  const screen = await play(lines)
  return Object.fromEntries(
    Object.entries(themes).map(([theme, look]) => [
      `docs/${name}-${theme}.svg`,
      terminalSvg(screen, { theme: look, columns, title }),
    ]),
  )
}

/**
 * The screen of a terminal after these lines were typed into bash, in an empty home.
 *
 * @param {readonly string[]} lines
 */
async function play(lines) {
  const home = mkdtempSync(join(tmpdir(), 'petstore-pictures-'))
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
