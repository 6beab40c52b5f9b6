import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { walkTree } from '../../src/cli/tree.ts'
import { type AnyCommand, DeclaredCommand, examplesIn } from '../../src/commands/declare.ts'

const pathOf = (command: AnyCommand): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
const commands = walkTree(program).map(command => ({ path: pathOf(command), command }))

describe('every command', () => {
  test.each(commands)(
    '$path has a summary, and at least two examples of itself',
    ({ path, command }) => {
      expect(command.description()).toMatch(/^[a-z].*[^.]$/)
      expect(command).toBeInstanceOf(DeclaredCommand)
      const examples = examplesIn(command)
      // The page of a group has the examples of its commands.
      const isGroup = command.parent !== null && command.commands.length > 0
      expect(examples.filter(([line]) => line.includes(path)).length).toBeGreaterThanOrEqual(
        isGroup ? 0 : 2
      )
      for (const [line, about] of examples) {
        expect(line).toContain('petstore ')
        expect(about).toMatch(/\S/)
      }
    }
  )

  test.each(commands)('$path describes its options and arguments in lower case', ({ command }) => {
    for (const { flags, description } of command.options)
      expect(`${flags}: ${description}`).toMatch(/: [a-z]/)
    for (const argument of command.registeredArguments)
      expect(argument.description).toMatch(/^[a-z]/)
  })
})

test('a flag means the same in every command', () => {
  const exceptions = new Map([
    ['--status', ['only pets with this status', 'status of the pet']],
    [
      '--name',
      ['only pets with exactly this name; repeated: with one of these names', 'name of the pet']
    ],
    ['--category-id', ['only pets of this category', 'id of its category']],
    [
      '--base-url',
      ['base URL of the environment, saved with the key', 'base URL; its path usually ends in /v1']
    ],
    [
      '--messages-url',
      ['messages URL of the environment, saved with the key', 'messages URL, without /messages']
    ],
    [
      '--file',
      ['JSON file with the pet (-: standard input)', 'file to send as the body (-: standard input)']
    ],
    ['--no-verify', ['save the key without testing it', 'show the keys without testing them']]
  ])
  const meanings = new Map<string, string>()
  for (const { path, command } of commands) {
    for (const { short, long, description } of command.options) {
      for (const flag of [short, long].filter(name => name !== undefined)) {
        if (exceptions.get(flag)?.includes(description)) continue
        expect(meanings.get(flag) ?? description, `${flag} of ${path}`).toBe(description)
        meanings.set(flag, description)
      }
    }
  }
})

test('no two options of a command share an attribute', () => {
  for (const { path, command } of commands) {
    if (command === program) continue
    const names = [...program.options, ...command.options]
      .filter(({ long }) => long !== '--no-color')
      .map(option => option.attributeName())
    expect(new Set(names).size, path).toBe(names.length)
  }
})
