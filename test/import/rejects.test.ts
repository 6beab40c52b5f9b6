import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const head = 'name,categoryId\n'
const wrong = `${head}Rex,three\n`

let home: string
beforeEach(() => {
  home = temporaryDirectory()
})

const at = (name: string) => join(home, name)
function put(name: string, text: string): string {
  writeFileSync(at(name), text)
  return at(name)
}
const text = (name: string) => readFileSync(at(name), 'utf8')
const filesHere = () => readdirSync(home).filter(name => name.includes('csv'))

const run = (input: string, rejects: string, ...words: string[]) =>
  runCli(['pets', 'import', at(input), '--env', 'local', '--rejects', at(rejects), ...words], {
    home
  })

test.each([[], ['--check']])('no other file is removed (%s)', async (...words) => {
  put('pets.csv.part', `${wrong}Ina,2\n`)
  put('pets.csv.tmp', 'mine')
  expect((await run('pets.csv.part', 'pets.csv', ...words)).code).toBe(8)
  expect(text('pets.csv')).toBe(wrong)
  expect(text('pets.csv.part')).toBe(`${wrong}Ina,2\n`)
  expect(filesHere()).toEqual(['pets.csv', 'pets.csv.part', 'pets.csv.tmp'])
})

test('a link is replaced, and nothing is written to what it leads to', async () => {
  put('pets.csv', wrong)
  put('empty.csv', '')
  for (const target of ['empty.csv', 'none.csv']) {
    symlinkSync(at(target), at('bad.csv'))
    expect((await run('pets.csv', 'bad.csv')).code).toBe(8)
    expect(lstatSync(at('bad.csv')).isSymbolicLink()).toBe(false)
    expect(text('bad.csv')).toBe(wrong)
    unlinkSync(at('bad.csv'))
  }
  expect(text('empty.csv')).toBe('')
  expect(filesHere()).toEqual(['empty.csv', 'pets.csv'])
})

test('the input is never replaced, also if it holds rejects or has other names', async () => {
  put('pets.csv', wrong)
  await run('pets.csv', 'bad.csv')
  linkSync(at('bad.csv'), at('hard.csv'))
  symlinkSync(at('bad.csv'), at('soft.csv'))
  for (const name of ['bad.csv', 'hard.csv', 'soft.csv'])
    expect((await run('bad.csv', name)).code).toBe(2)
  expect(text('bad.csv')).toBe(wrong)
})

test('a file that cannot be written is 9, before anything is sent', async () => {
  put('pets.csv', `${head}Rex,2\n`)
  const { code, stdout } = await run('pets.csv', 'none/bad.csv')
  expect([code, stdout]).toEqual([9, ''])
})

const refusal = { status: 422, json: { code: 'no', message: 'no', status: 422 } }

test('what is written to the file meanwhile stays, and the run is 9', async () => {
  const server = await recordingServer(() => {
    put('bad.csv', 'mine')
    return refusal
  })
  const env = { PETSTORE_API_KEY: 'sk_test_1', PETSTORE_BASE_URL: `${server.url}/v1` }
  const argv = ['pets', 'import', put('pets.csv', `${head}Rex,2\n`), '--rejects', at('bad.csv')]
  const { code, stderr } = await runCli(argv, { home, env })
  expect(code).toBe(9)
  expect(stderr).toContain('bad.csv was changed during the import, and stays as it is')
  expect(text('bad.csv')).toBe('mine')
  expect(filesHere()).toEqual(['bad.csv', 'pets.csv'])
})
