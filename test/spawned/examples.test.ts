import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type ExampleShell,
  exampleKey,
  openExampleShell,
  shellOf,
} from '../support/example-shell.ts'
import {
  examplesOfHelp,
  examplesOfPage,
  plainCommands,
  runsUntilStopped,
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
  .filter((name) => name.endsWith('.md') && name !== 'reference.md')
  .map((name) => `docs/${name}`)
  .concat('skills/petstore/SKILL.md')

/** Each example once, also if several pages have it. */
const sources = new Map<string, string>()
for (const { source, text } of [...examplesOfHelp(), ...docs.flatMap(examplesOfPage)]) {
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
          shell.freshHome(),
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
      steps: isStopped ? [['{', ctrlC]] : [],
    })
    expect({ argv, code, stderr }).toEqual({
      argv,
      code: isStopped ? expect.toBeOneOf([0, 130]) : 0,
      stderr: expect.not.stringContaining('"error"'),
    })
  }
}

needs('jq')('the README', () => {
  test('works from top to bottom on a machine with nothing set up', {
    timeout: 120_000,
  }, async () => {
    const home = shell.freshHome('bare')
    const examples = examplesOfPage('README.md')
    expect(examples.length).toBeGreaterThan(7)
    for (const { text: example } of examples) {
      const { code, stderr } = await shell.run(await shell.fillPlaceholders(example), home)
      expect({ example, code, stderr }).toEqual({
        example,
        code: 0,
        stderr: expect.not.stringContaining('error:'),
      })
    }
  })
})

describe('the check of examples', () => {
  test.each([
    ['petstore pets lst', 2],
    ['petstore pets list --env nowhere | cat', 2],
    ['petstore serve --port x', 2],
  ])('fails on %s', async (example, code) => {
    expect((await shell.run(await shell.fillPlaceholders(example), shell.freshHome())).code).toBe(
      code,
    )
  })
})

const programsIn = (example: string) => [
  ...['jq', 'curl'].filter((program) => new RegExp(`(^|\\| )${program} `, 'm').test(example)),
  ...(shellOf(example) === 'bash' ? [] : [shellOf(example)]),
]
