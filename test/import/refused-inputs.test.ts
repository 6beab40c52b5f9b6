import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Imports a file, which must be refused before anything is sent, and returns the error's message. */
async function refusalOf(
  name: string,
  content: string | Buffer,
  ...options: readonly string[]
): Promise<string> {
  const home = temporaryDirectory()
  const path = join(home, name)
  writeFileSync(path, content)
  const server = await recordingServer(() => ({ status: 500 }))
  const run = await runCli(['pets', 'import', path, ...options], {
    env: {
      PETSTORE_API_KEY: 'sk_test_12345678',
      PETSTORE_BASE_URL: `${server.url}/v1`,
      PETSTORE_CONFIG_DIR: join(home, 'config')
    }
  })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(server.requests).toHaveLength(0)
  const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '')
  return error.message
}

const modes: readonly string[][] = [[], ['--check'], ['--dry-run']]

const needed = "; an import needs 'name' and 'categoryId', separated by"

describe.each(modes)('a header without the needed columns (options: %j)', (...options) => {
  test.each([
    ['name,category_id', `has the columns 'name', 'category_id'${needed}`],
    ['Name,NAME', `has the columns 'Name', 'NAME'${needed}`],
    ['"NAME"\t"categoryId"', `has the columns '"NAME"\t"categoryId"'${needed}`],
    ['name,"categoryId', `has the columns 'name,"categoryId'${needed}`]
  ])('%s', async (header, words) => {
    const message = await refusalOf('pets.csv', `${header}\nRex,1\n`, ...options)
    expect(message).toMatch(/pets\.csv, line 1: the header /)
    expect(message).toContain(words)
  })
})

test.each(['pets.xlsx', 'pets.ods', 'pets.csv'])('a spreadsheet: %s', async name => {
  const start = Buffer.from('PK\x03\x04\x14\x00\x06\x00\x08\x00\n\xe4\xff', 'latin1')
  for (const content of [start, start.subarray(0, 4)])
    expect(await refusalOf(name, content)).toMatch(
      /this is a spreadsheet or another ZIP file: save it as CSV first$/
    )
})

test('CSV that begins like a ZIP file is read', async () => {
  expect(await refusalOf('pets.csv', 'PK,1\n')).toContain("the columns 'PK', '1'")
})
