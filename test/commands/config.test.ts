import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { rowsOf } from '../cli/typing.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
let directory: string
let path: string
beforeEach(() => {
  home = temporaryDirectory()
  directory = join(home, '.config', 'petstore')
  path = join(directory, 'config.json')
})

function save(content: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(path, content)
}
const config = (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  runCli(['config', ...line.split(' ')], { home, ...options })

test('config list shows each value with its source', async () => {
  save('{"preferences":{"timeout":5}}')
  const env = { PETSTORE_RETRIES: '0' }
  const { stdout } = await config('list --color never -o csv', { env })
  expect(stdout.trimEnd().split(/\r?\n/).slice(1)).toEqual([
    'output,csv,the command line',
    'timeout,5,the config file',
    'retries,0,PETSTORE_RETRIES',
    'color,never,the command line'
  ])
})

test.each([
  ['output', 'csv', 'json', 'output set to csv'],
  ['timeout', '2.5', '30', 'timeout set to 2.5'],
  ['retries', '0', '3', 'retries set to 0'],
  ['color', 'never', 'auto', 'color set to never']
])('%s is set to %s, and unset to %s', async (name, value, byDefault, confirmation) => {
  const terminal = { stderr: true }
  expect((await config(`get ${name}`)).stdout).toBe(`${byDefault}\n`)
  const set = await config(`set ${name} ${value} --no-color`, { terminal })
  expect(set).toEqual({ code: 0, stdout: '', stderr: `${confirmation}\n` })
  expect(await config(`get ${name}`)).toEqual({ code: 0, stdout: `${value}\n`, stderr: '' })
  expect(await config(`unset ${name}`)).toEqual({ code: 0, stdout: '', stderr: '' })
  expect((await config(`get ${name}`)).stdout).toBe(`${byDefault}\n`)
})

const misuses = rowsOf(`
get frobnicate => frobnicate
get constructor => constructor
set output => value
set output xml => use table, json, ndjson, csv or tsv
set timeout 0 => use a number of seconds from 0.001 to 86400
set -- retries -1 => use a whole number from 0 to 100
set color yes => use auto, always or never
`)

test.each(misuses)('config %s is a usage error and saves nothing', async (line, words) => {
  const run = await config(line)
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
  expect(existsSync(path)).toBe(false)
})

test('config path prints the path, whatever is there', async () => {
  expect((await config('path')).stdout).toBe(`${path}\n`)
  save('{')
  expect(await config('path')).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' })
})
