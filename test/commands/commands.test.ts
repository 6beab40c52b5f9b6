import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { commandName, leavesOf } from '../../src/cli/tree.ts'
import { runCli } from '../support/run-cli.ts'

interface Description {
  readonly options: readonly { readonly flags: string }[]
  readonly commands: readonly { readonly name: string; readonly sharedOptions: readonly string[] }[]
}

const described = async (...words: string[]) => {
  const { code, stdout, stderr } = await runCli(['commands', ...words])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('petstore commands', () => {
  test('describes every command in at most 25,000 bytes', async () => {
    const text = await described()
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(25_000)
    const { commands, options } = JSON.parse(text)
    const names = commands.map(({ name }: { name: string }) => name)
    expect(names).toEqual(leavesOf(program).map(commandName))
    expect(options).toContainEqual({
      flags: '--retries <count>',
      description: expect.any(String),
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: '3'
    })
  })

  test('describes one command without what has no value', async () => {
    const text = await described('pets', 'list')
    const [command, ...others] = JSON.parse(text).commands
    expect(others).toEqual([])
    expect(command).toMatchObject({
      name: 'pets list',
      summary: 'list pets',
      changes: 'nothing',
      exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 130, 143],
      output: { shape: 'array', fields: ['id', 'name', 'categoryId', 'status'] },
      examples: expect.arrayContaining([expect.stringMatching(/^petstore pets list .* {2}# /)])
    })
    expect(command.options).toContainEqual({
      flags: '--status <status>',
      description: expect.any(String),
      type: 'string',
      choices: ['available', 'pending', 'sold']
    })
    expect(command.output.schema.properties.id).toEqual({ type: 'integer', format: 'int64' })
    expect(text).not.toMatch(/:(null|\[\])[,}]/)
  })

  test('describes each command, with the shared options that it takes, in at most 4,000 bytes', async () => {
    const { commands }: Description = JSON.parse(await described())
    for (const { name, sharedOptions } of commands) {
      const text = await described(...name.split(' '))
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000)
      const { options }: Description = JSON.parse(text)
      const named = sharedOptions.map(long => expect.stringContaining(long))
      expect(options.map(({ flags }) => flags)).toEqual(named)
    }
  })

  test('describes the commands of a group, by an alias too', async () => {
    const group = await described('pets')
    const { commands }: { commands: { name: string }[] } = JSON.parse(group)
    expect(commands.map(({ name }) => name)).toContain('pets add')
    expect(await described('pet')).toBe(group)
  })
})
