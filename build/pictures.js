/** The pictures of the docs: screens of a real terminal after typed command lines. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from './dist.js'
import { terminalSvg, themes } from './terminal-svg.js'

const columns = 96

/**
 * @typedef {object} Scene
 * @property {string} name
 * @property {string} title
 * @property {readonly string[]} lines
 * @property {RegExp} [moment] The picture is taken when this appears, while the last line still runs. Other pictures are
 *   the same on every day and machine.
 */

/** @type {readonly Scene[]} */
export const scenes = [
  {
    name: 'first-steps',
    title: 'petstore lists pets of the local service, adds one and counts them',
    lines: [
      'petstore pets list --env local --status available',
      'petstore pets add --env local --name "Žofka 🐈" --category-id 9007199254740993',
      'petstore pets list --env local --limit 100 | jq length',
    ],
  },
  {
    name: 'import',
    title: 'petstore imports a file and shows its progress',
    lines: [
      'wc -l pets.csv',
      'petstore pets import pets.csv --check',
      'petstore pets import pets.csv --env local --concurrency 1',
    ],
    moment: / 4[0-9]%.*left/,
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
 * @param {Scene} scene
 * @returns {Promise<Record<string, string>>}
 */
export async function picturesOf({ name, title, lines, moment }) {
  const screen = await play(lines, moment)
  return Object.fromEntries(
    Object.entries(themes).map(([theme, look]) => [
      `docs/${name}-${theme}.svg`,
      terminalSvg(screen, { theme: look, columns, title }),
    ]),
  )
}

/**
 * The screen of a terminal after these lines were typed into bash, in a home with nothing but a file of pets.
 *
 * @param {readonly string[]} lines
 * @param {RegExp} [moment]
 */
async function play(lines, moment) {
  const home = mkdtempSync(join(tmpdir(), 'petstore-pictures-'))
  const PATH = [home, process.env.PATH].join(delimiter)
  symlinkSync(join(root, 'bin', 'petstore.js'), join(home, 'petstore'))
  writeFileSync(join(home, 'tmux.conf'), 'set -g status off\n')
  const rows = Array.from({ length: 20_000 }, (_, index) => `Pet ${index + 1},${index % 7},available\n`)
  writeFileSync(join(home, 'pets.csv'), `name,categoryId,status\n${rows.join('')}`)
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
    if (moment === undefined) await prompted(lines.length + 1)
    else while (!moment.test(tmux('capture-pane', '-p'))) await delay(50)
    return tmux('capture-pane', '-p', '-e').trimEnd().replace(/\n\$$/, '')
  } finally {
    tmux('kill-server')
    rmSync(home, { recursive: true, maxRetries: 5 })
  }
}
