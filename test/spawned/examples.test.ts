import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examplesOfHelp, examplesOfPage } from '../support/examples.ts'
import { needs } from '../support/needs.ts'
import { isForFish, openPastingMachine, type PastingMachine } from '../support/pasting-machine.ts'

let machine: PastingMachine
beforeAll(async () => {
  machine = await openPastingMachine()
})
afterAll(() => machine.close())

describe.each([
  ['help', examplesOfHelp()],
  ['the README', examplesOfPage('README.md')],
  ['the page for agents', examplesOfPage('skills/petstore/SKILL.md')],
])('every example of %s works as it is printed', (_, examples) => {
  for (const { source, text: example } of examples) {
    needs(...programsIn(example))(source, () => {
      test.concurrent(example, async ({ expect }) => {
        const { code, stderr } = await machine.run(await machine.onThisMachine(example), machine.freshHome())
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error:') })
      })
    })
  }
})

describe('an example that does not work', () => {
  test.each([
    ['petstore pets lst', 2],
    ['petstore pets list --env nowhere | cat', 2],
    ['petstore serve --port x', 2],
  ])('%s is found', async (example, code) => {
    expect((await machine.run(await machine.onThisMachine(example), machine.freshHome())).code).toBe(code)
  })
})

const programsIn = (example: string) => [
  ...['jq', 'curl'].filter((program) => new RegExp(`(^|\\| )${program} `, 'm').test(example)),
  ...(isForFish(example) ? ['fish'] : []),
]
