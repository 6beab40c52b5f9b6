import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { rowsOf, wordsOf } from './typing.ts'

/** What is typed, a dot being the unfinished word, and the words that are offered. */
const lines = rowsOf(`
pet. => pets
au. => auth
pets l. => list
pets list --sta. => --status
pets list --limit. => --limit
pets list --status . => available pending sold
pets list --status=s. => sold
pets list --status=sold --li. => --limit
pets list -q --li. => --limit
-o c. => csv
--output=c. => csv
completion z. => zsh
config set c. => color
config get . => output timeout retries color
env use . => production staging local
--env=l. => local
pets import x. => :files
pets add --file=x. => :files
help ex. => exit-codes
help pets g. => get
commands pets g. => get
commands ex. =>
nothing . =>
pets nothing . =>
pets list --limit . =>
config set timeout . =>
`)

describe('a completion', () => {
  const complete = async (words: readonly string[], options: Parameters<typeof runCli>[1] = {}) => {
    const { code, stdout, stderr } = await runCli(['__complete', '--', ...words], options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.split('\n').slice(0, -1)
  }

  test.each(lines)('of %s', async (line, offered) => {
    const words = wordsOf(line.replace(/\.$/, ''))
    const unfinished = line.endsWith(' .') ? [...words, ''] : words
    const names = (await complete(unfinished)).map(candidate => candidate.split('\t')[0])
    if (offered === '') expect(names.every(name => name?.startsWith('--'))).toBe(true)
    else expect(names.join(' ')).toBe(offered)
  })

  test('has a description after a tab', async () => {
    expect(await complete(['pets', 'li'])).toEqual([expect.stringMatching(/^list\t[a-z]/)])
  })

  test('offers saved environments, or only the built-in ones if the config file is broken', async () => {
    const home = temporaryDirectory()
    await runCli(['env', 'set', 'mine', '--base-url', 'https://pets.example/v1'], { home })
    expect(await complete(['env', 'use', 'm'], { home })).toEqual(['mine'])
    const directory = join(home, 'config')
    mkdirSync(directory)
    writeFileSync(join(directory, 'config.json'), '{')
    const env = { PETSTORE_CONFIG_DIR: directory }
    expect(await complete(['--env', ''], { env })).toEqual(['production', 'staging', 'local'])
  })
})
