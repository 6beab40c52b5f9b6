import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

describe('a completion', () => {
  const complete = async (words: readonly string[], options: Parameters<typeof runCli>[1] = {}) => {
    const { code, stdout, stderr } = await runCli(['__complete', '--', ...words], options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.split('\n').slice(0, -1)
  }
  const namesOf = (lines: readonly string[]) => lines.map(line => line.split('\t')[0])

  test('has a description after a tab', async () => {
    expect(await complete(['pets', 'li'])).toEqual([expect.stringMatching(/^list\t[a-z]/)])
  })

  test('leaves out an option that is already given, unless it can be repeated', async () => {
    const fresh = namesOf(await complete(['pets', 'list', '--']))
    expect(fresh).toContain('--status')
    const again = namesOf(await complete(['pets', 'list', '--status', 'sold', '-q', '--']))
    expect(again).toEqual(fresh.filter(flag => flag !== '--status' && flag !== '--quiet'))
    expect(namesOf(await complete(['api', 'GET', '/pets', '-f', 'a=b', '--raw']))).toEqual([
      '--raw-field'
    ])
  })

  test('offers files if the placeholder is a file', async () => {
    expect(await complete(['pets', 'import', 'x'])).toEqual([':files'])
    expect(await complete(['pets', 'add', '--file=x'])).toEqual([':files'])
  })

  test.each([
    [
      ['pets', 'list', '--status', ''],
      ['available', 'pending', 'sold']
    ],
    [['pets', 'list', '--status=s'], ['sold']],
    [['-o', 'c'], ['csv']],
    [['completion', 'z'], ['zsh']],
    [
      ['pets', 'list', '--fields', ''],
      ['id', 'name', 'categoryId', 'status']
    ],
    [['pets', 'list', '--fields', 'id,na'], ['id,name']],
    [
      ['pets', 'get', '--fields=status,id,'],
      ['status,id,name', 'status,id,categoryId']
    ],
    [
      ['config', 'set', 'color', ''],
      ['auto', 'always', 'never']
    ],
    [['help', 'ex'], ['exit-codes']],
    [['help', 'pets', 'g'], ['get']],
    [['commands', 'pets', 'g'], ['get']],
    [['commands', 'ex'], []]
  ])('after %j offers %j', async (words, offered) => {
    expect(namesOf(await complete(words))).toEqual(offered)
  })

  test.each([
    [['nothing', '']],
    [['pets', 'nothing', '']],
    [['pets', 'list', '--limit', '']],
    [['pets', 'list', '--', '']],
    [['--fields', '']],
    [['config', 'set', 'timeout', '']],
    [['help', 'nothing', '']]
  ])('is empty after %j', async words => {
    expect(await complete(words)).toEqual([])
  })

  test('offers all environments, or only the built-in ones if the config file is broken', async () => {
    const home = temporaryDirectory()
    await runCli(['env', 'set', 'mine', '--base-url', 'https://pets.example/v1'], { home })
    expect(await complete(['env', 'use', ''], { home })).toEqual([
      'production',
      'staging',
      'local',
      'mine'
    ])
    const config = join(home, 'config')
    mkdirSync(config)
    writeFileSync(join(config, 'config.json'), '{')
    const broken = await complete(['--env', ''], { env: { PETSTORE_CONFIG_DIR: config } })
    expect(broken).toEqual(['production', 'staging', 'local'])
  })
})
