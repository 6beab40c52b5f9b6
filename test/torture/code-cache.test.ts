import { cpSync } from 'node:fs'
import { expect, test } from 'vitest'
import { damaged } from '../start-up/kept.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const flips = 200
const atOnce = 4

test('of two hundred bytes flipped in what was kept, none crashes a run or makes it another', async () => {
  const warm = temporaryDirectory()
  const list = ['pets', 'list', '--env', 'local', '--json']
  const expected = await spawnCli(list, { home: warm })
  expect(expected.code).toBe(0)

  const places = Array.from({ length: flips }, (_, index) => index / flips)
  const runs = places.map((place) => async () => {
    const home = temporaryDirectory()
    cpSync(warm, home, { recursive: true })
    expect(await spawnCli(list, { home: damaged(home, place) })).toEqual(expected)
  })
  while (runs.length > 0) await Promise.all(runs.splice(0, atOnce).map((run) => run()))
})
