import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type ExampleShell,
  exampleKey,
  openExampleShell,
  type Shell,
  shellOf,
  shells
} from '../support/example-shell.ts'
import {
  blocksOfPage,
  examplesOfHelp,
  linesOfBlock,
  plainCommands,
  runsUntilStopped,
  type Script,
  scriptsOfPage
} from '../support/examples.ts'
import { needs } from '../support/needs.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { isClone } from '../support/spawn-cli.ts'

let shell: ExampleShell
beforeAll(async () => {
  shell = await openExampleShell()
})
afterAll(() => shell.close())

/** The reference only has examples from help. */
const docs = readdirSync(fileURLToPath(new URL('../../docs', import.meta.url)))
  .filter(name => name.endsWith('.md') && name !== 'reference.md')
  .map(name => `docs/${name}`)

/** The blocks that only a shell can run: those are pasted into each shell. */
const isPasted = ({ text }: Script) =>
  plainCommands(text) === undefined && !text.split('\n').some(runsUntilStopped)

/** Each example once, also if several pages have it. */
const sources = new Map<string, string>()
for (const { source, text } of [
  ...examplesOfHelp(),
  ...docs.flatMap(blocksOfPage).filter(block => !isPasted(block)),
  ...blocksOfPage('skills/petstore/SKILL.md'),
  ...['README.md', ...docs].flatMap(scriptsOfPage)
]) {
  if (!sources.has(text)) sources.set(text, source)
}

describe('every example of help, docs and the skill works as written', () => {
  for (const [example, source] of sources) {
    const commands = isClone ? plainCommands(example) : undefined
    if (commands !== undefined) {
      test(example, () => runHere(example, shell.freshHome()))
      continue
    }
    needs(...programsIn(example))(source, () => {
      test.concurrent(example, async ({ expect }) => {
        const { code, stderr } = await shell.run(
          await shell.fillPlaceholders(example),
          shell.freshHome()
        )
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error:') })
      })
    })
  }
})

/** Runs the commands of a script in this process, which is faster than a shell. */
async function runHere(script: string, home: string): Promise<void> {
  const before = process.cwd()
  process.chdir(join(home, 'here'))
  onTestFinished(() => process.chdir(before))
  for (const argv of plainCommands(await shell.fillPlaceholders(script)) ?? []) {
    const isStopped = runsUntilStopped(`petstore ${argv.join(' ')}`)
    const { code, stderr } = await runCli(argv, {
      home,
      stdin: `${exampleKey}\n`,
      steps: isStopped ? [['{', ctrlC]] : []
    })
    expect({ argv, code, stderr }).toEqual({
      argv,
      code: isStopped ? expect.toBeOneOf([0, 130]) : 0,
      stderr: expect.not.stringContaining('"error"')
    })
  }
}

for (const name of shells) {
  needs(
    name,
    'jq',
    'curl'
  )(`pasted into ${name} as into a terminal`, () => {
    for (const page of docs) {
      const blocks = blocksOfPage(page).filter(isPasted)
      if (blocks.length === 0) continue
      test.concurrent(`${page} works`, async ({ expect }) => {
        const { failed, stderr } = await shell.paste(name, await linesOf(blocks), shell.freshHome())
        expect({ failed, stderr }).toEqual({ stderr: expect.not.stringContaining('error:') })
      })
    }

    test('README.md works from top to bottom on a machine with nothing set up', {
      timeout: 120_000
    }, async () => {
      const lines = await linesOf(blocksOfPage('README.md'))
      expect(lines.length).toBeGreaterThan(15)
      await follow(name, lines, shell.freshHome('bare'))
    })
  })
}

const linesOf = async (blocks: readonly Script[]): Promise<string[]> =>
  linesOfBlock(await shell.fillPlaceholders(blocks.map(({ text }) => text).join('\n')))

/** What runs until it is stopped gets a terminal of its own, and runs to the end. */
async function follow(name: Shell, lines: readonly string[], home: string): Promise<void> {
  const first = lines.findIndex(runsUntilStopped)
  const before = first === -1 ? lines : lines.slice(0, first)
  const { failed, stderr } = await shell.paste(name, before, home)
  expect({ failed, stderr }).toEqual({ stderr: expect.not.stringContaining('error:') })
  if (first === -1) return
  const started = await shell.start(lines[first] as string, home)
  try {
    await follow(name, lines.slice(first + 1), home)
  } finally {
    expect(await started.stop()).toMatchObject({
      code: expect.toBeOneOf([0, 130]),
      stderr: expect.not.stringContaining('"error"')
    })
  }
}

describe('the check of examples', () => {
  test.each([
    ['petstore pets lst', 2],
    ['petstore pets list --env nowhere | cat', 2],
    ['petstore serve --port x', 2]
  ])('fails on %s', async (example, code) => {
    expect((await shell.run(await shell.fillPlaceholders(example), shell.freshHome())).code).toBe(
      code
    )
  })
})

needs('zsh', 'fish')('the check of pasted lines', () => {
  test.each([
    ['bash', 'petstore pets lst'],
    ['zsh', 'petstore pets list --env local # a comment'],
    ['fish', 'version=$(petstore --version)']
  ] as const)('fails in %s on %s', async (name, line) => {
    const { failed } = await shell.paste(name, ['true', line], shell.freshHome('empty'))
    expect(failed).toBeDefined()
  })
})

const programsIn = (example: string) => [
  ...['jq', 'curl'].filter(program => new RegExp(`(^|\\| )${program} `, 'm').test(example)),
  ...(shellOf(example) === 'bash' ? [] : [shellOf(example)])
]
