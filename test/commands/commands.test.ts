import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endings } from '../../src/failure.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

describe('petstore commands', () => {
  test('describes the whole program', async () => {
    const { code, stdout, stderr } = await runCli(['commands'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const described = JSON.parse(stdout)
    expect(Object.keys(described)).toEqual(['name', 'version', 'options', 'commands', 'exitCodes'])
    expect(described).toMatchObject({ name: 'petstore', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    expect(described.exitCodes).toEqual(endings.map(({ code, name, meaning }) => ({ code, name, meaning })))
    expect(described.options).toContainEqual({
      flags: '-e, --env <environment>',
      description: 'the environment to use',
      choices: null,
      default: 'production',
    })

    const names = described.commands.map((command: { name: string }) => command.name)
    expect(names).toContain('pets list')
    expect(names).not.toContain('pets')
    const list = described.commands.find((command: { name: string }) => command.name === 'pets list')
    expect(list).toMatchObject({ summary: 'list pets', aliases: ['ls'], arguments: [] })
    expect(list.options).toContainEqual({
      flags: '--status <status>',
      description: 'only pets with this status',
      choices: ['available', 'pending', 'sold'],
      default: null,
    })
    expect(list.examples[0]).toEqual({
      command: 'petstore pets list --env local',
      description: 'list the pets of the local service',
    })
    const get = described.commands.find((command: { name: string }) => command.name === 'pets get')
    expect(get.arguments).toEqual([
      { name: 'id', description: 'id of the pet', required: true, variadic: false, choices: null },
    ])
  })

  test('describes --help in the same way for every command', async () => {
    const { options, commands } = JSON.parse((await runCli(['commands'])).stdout)
    const all = [options, ...commands.map((command: { options: unknown }) => command.options)].flat()
    const ofHelp = all.filter(({ flags }: { flags: string }) => flags === '-h, --help')
    expect(ofHelp).toHaveLength(commands.length + 1)
    expect(new Set(ofHelp.map(({ description }: { description: string }) => description))).toEqual(
      new Set(['show help']),
    )
  })

  test('works with a broken config file', async () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, '.config', 'petstore'), { recursive: true })
    writeFileSync(join(home, '.config', 'petstore', 'config.json'), '{')
    expect((await runCli(['commands', '--jq', '.name'], { home })).stdout).toBe('petstore\n')
  })

  test('is one line as ndjson, and indented JSON otherwise', async () => {
    const { stdout } = await runCli(['commands'])
    const line = await runCli(['commands', '-o', 'ndjson'])
    expect(line.stdout).toBe(`${JSON.stringify(JSON.parse(stdout))}\n`)
    for (const format of ['json', 'csv', 'table'])
      expect((await runCli(['commands', '-o', format])).stdout).toBe(stdout)
  })

  test('lists for each command whether it changes something, and its output fields', async () => {
    const { commands } = JSON.parse((await runCli(['commands'])).stdout)
    const named = (name: string) => commands.find((command: { name: string }) => command.name === name)
    const changing = commands.filter((command: { changes: boolean }) => command.changes)
    expect(changing.map(({ name }: { name: string }) => name)).toEqual([
      'pets add',
      'pets import',
      'messages send',
      'env use',
      'env set',
      'env unset',
      'auth login',
      'auth logout',
      'config set',
      'config unset',
      'api',
      'serve',
    ])
    expect(named('pets list')).toMatchObject({ changes: false, fields: ['id', 'name', 'categoryId', 'status'] })
    expect(named('completion')).toMatchObject({ changes: false, fields: [] })
  })

  test('has each default as a value or a description, and null without a default', async () => {
    const { commands } = JSON.parse((await runCli(['commands'])).stdout)
    const defaults: unknown[] = commands.flatMap(({ options }: { options: { default: unknown }[] }) =>
      options.map((option) => option.default),
    )
    expect(defaults).toContain(4010)
    expect(defaults).toContain(null)
    expect(defaults.filter((value) => value === '' || (typeof value === 'object' && value !== null))).toEqual([])
  })

  test.each(['commands --json', '--no-color commands'])('prints JSON with options too: %s', async (line) => {
    expect(await runCli(line.split(' '))).toEqual(await runCli(['commands']))
  })

  test('prints JSON in a terminal too', async () => {
    const { stdout } = await runCli(['commands', '--no-color'], { terminal: true })
    expect(JSON.parse(stdout)).toHaveProperty('commands')
  })
})
