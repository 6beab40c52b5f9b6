import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { binPath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'
import { terminalSvg } from '../support/terminal-svg.ts'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const columns = 96

/**
 * The pictures of the docs: a terminal after these lines were typed, in a home with nothing but a
 * file of pets.
 */
const scenes: Readonly<Record<string, { title: string; lines: readonly string[] }>> = {
  'first-steps': {
    title: 'petstore lists pets of the local service, adds one and counts them',
    lines: [
      'petstore pets list --env local --status available',
      'petstore pets add --env local --name "Žofka 🐈" --category-id 9007199254740993',
      'petstore pets list --env local --limit 100 | jq length',
    ],
  },
  import: {
    title: 'petstore imports a file and shows its progress',
    lines: [
      'wc -l pets.csv',
      'petstore pets import pets.csv --check',
      'petstore pets import pets.csv --env local --concurrency 1',
    ],
  },
  errors: {
    title: 'petstore says what failed and which command to run next',
    lines: [
      'petstore pets lst --env local',
      'petstore pets list --status Sold --env local',
      'petstore messages send hi there --env local',
      'petstore pets list; echo "exit code $?"',
    ],
  },
}

/**
 * An import in progress looks different each time, so only `npm run screenshots` takes this
 * picture.
 */
const isTaken = (name: string) => name !== 'import' || process.env.PETSTORE_TEST_PICTURES === 'all'

needs('tmux', 'jq')('a picture', () => {
  test.each(Object.keys(scenes).filter(isTaken))(
    'of %s shows the output of the program (npm run screenshots updates it)',
    { timeout: 120_000 },
    async (name) => {
      const { title, lines } = scenes[name] as (typeof scenes)[string]
      const screen = await play(
        lines,
        name === 'import' ? / 4\d%.*left/ : prompts(lines.length + 1),
      )
      await expect(terminalSvg(screen, { columns, title })).toMatchFileSnapshot(
        `${docs}${name}.svg`,
      )
    },
  )
})

test('each picture is used on a page', () => {
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'))
  const texts = ['../README.md', ...pages]
    .map((name) => readFileSync(join(docs, name), 'utf8'))
    .join('')
  for (const name of Object.keys(scenes)) expect(texts).toMatch(new RegExp(`\\b${name}\\.svg`))
  const pictures = readdirSync(docs).filter((name) => name.endsWith('.svg'))
  expect(pictures.sort()).toEqual(
    Object.keys(scenes)
      .map((name) => `${name}.svg`)
      .sort(),
  )
})

/** The screen at the end, without the last prompt. */
async function play(lines: readonly string[], end: RegExp): Promise<string> {
  const home = temporaryDirectory()
  symlinkSync(binPath, join(home, 'petstore'))
  const rows = Array.from(
    { length: 20_000 },
    (_, index) => `Pet ${index + 1},${index % 7},available\n`,
  )
  writeFileSync(join(home, 'pets.csv'), `name,categoryId,status\n${rows.join('')}`)
  const env = {
    PATH: [home, process.env.PATH].join(delimiter),
    PS1: '$ ',
    HISTFILE: '',
    NODE_EXTRA_CA_CERTS: undefined,
  }
  const command = ['bash', '--norc', '--noprofile', '-i']
  const terminal = await openTerminal(command, { columns, rows: 60, home, env })
  for (const [index, line] of lines.entries()) {
    await terminal.waitFor(prompts(index + 1))
    await terminal.type(line)
    await terminal.press('Enter')
  }
  await terminal.waitFor(end, { within: 100_000 })
  return (await terminal.screen({ withEscapes: true })).replace(/\n\$$/, '')
}

const prompts = (count: number) => new RegExp(`(?:^\\$[^]*?){${count}}`, 'm')
