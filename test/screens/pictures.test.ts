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
const columns = 104

interface Scene {
  readonly title: string
  readonly lines: readonly string[]
  /** Presses Ctrl-C when this is on the screen for the first time. */
  readonly interruptAt?: RegExp
}

const command = 'petstore pets import pets.csv'

/** The pictures of the docs: a terminal in a home with nothing but a file of pets. */
const scenes: Readonly<Record<string, Scene>> = {
  import: {
    title: 'petstore imports a file, is interrupted, and resumes with the same command',
    lines: ['petstore env use local', 'wc -l pets.csv', command, command, command],
    interruptAt: / [3-6]\d%.*left/
  },
  errors: {
    title: 'petstore says what failed and which command to run next',
    lines: [
      'petstore pets lst --env local',
      'petstore pets list --status Sold --env local',
      'petstore messages send hi there --env local',
      'petstore pets list; echo "exit code $?"'
    ]
  }
}

/**
 * An import is interrupted at another row each time, so only `npm run screenshots` takes this
 * picture.
 */
const isTaken = (name: string) => name !== 'import' || process.env.PETSTORE_TEST_PICTURES === 'all'

needs('tmux')('a picture', () => {
  test.each(Object.entries(scenes).filter(([name]) => isTaken(name)))(
    'of %s shows the output of the program (npm run screenshots updates it)',
    { timeout: 120_000 },
    async (name, scene) => {
      const { title } = scene
      await expect(terminalSvg(await play(scene), { columns, title })).toMatchFileSnapshot(
        `${docs}${name}.svg`
      )
    }
  )
})

test('the picture of an import shows an interruption, and how all rows were added', () => {
  const text = readFileSync(join(docs, 'import.svg'), 'utf8').replace(/<[^>]*>/g, '')
  const [, added = '', rows = ''] = /([\d,]+) added of ([\d,]+) rows .*to resume: /.exec(text) ?? []
  const [, rest = '', skipped] = /([\d,]+) added, ([\d,]+) skipped/.exec(text) ?? []
  const count = (shown: string) => Number(shown.replaceAll(',', ''))
  expect(skipped).toBe(added)
  expect(count(added) + count(rest)).toBe(count(rows))
  expect(text).toContain(`all ${rows} rows were added`)
})

test('each picture is used on a page', () => {
  const pages = readdirSync(docs).filter(name => name.endsWith('.md'))
  const texts = ['../README.md', ...pages]
    .map(name => readFileSync(join(docs, name), 'utf8'))
    .join('')
  for (const name of Object.keys(scenes)) expect(texts).toMatch(new RegExp(`\\b${name}\\.svg`))
  const pictures = readdirSync(docs).filter(name => name.endsWith('.svg'))
  expect(pictures.sort()).toEqual(
    Object.keys(scenes)
      .map(name => `${name}.svg`)
      .sort()
  )
})

/** The screen at the end, without the last prompt. */
async function play({ lines, interruptAt }: Scene): Promise<string> {
  const home = temporaryDirectory()
  symlinkSync(binPath, join(home, 'petstore'))
  const rows = Array.from(
    { length: 20_000 },
    (_, index) => `Pet ${index + 1},${index % 7},available\n`
  )
  writeFileSync(join(home, 'pets.csv'), `name,categoryId,status\n${rows.join('')}`)
  const env = {
    PATH: [home, process.env.PATH].join(delimiter),
    PS1: '$ ',
    HISTFILE: '',
    NODE_EXTRA_CA_CERTS: undefined
  }
  const shell = ['bash', '--norc', '--noprofile', '-i']
  const terminal = await openTerminal(shell, { columns, rows: 60, home, env })
  await terminal.waitFor(prompts(1))
  for (const [index, line] of lines.entries()) {
    await terminal.type(line)
    await terminal.press('Enter')
    if (interruptAt !== undefined && index === lines.indexOf(command)) {
      await terminal.waitFor(interruptAt)
      await terminal.press('C-c')
    }
    await terminal.waitFor(prompts(index + 2), { within: 100_000 })
  }
  return (await terminal.screen({ withEscapes: true })).replace(/\n\$$/, '')
}

const prompts = (count: number) => new RegExp(`(?:^\\$[^]*?){${count}}`, 'm')
