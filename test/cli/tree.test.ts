import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { walkTree } from '../../src/cli/tree.ts'
import { type AnyCommand, DeclaredCommand } from '../../src/commands/declare.ts'

const program: AnyCommand = buildProgram('0.0.0')

const pathOf = (command: AnyCommand): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
const commands = walkTree(program).map((command) => ({ path: pathOf(command), command }))

describe('every command', () => {
  test.each(commands)('$path has a summary, and two examples or more that call it', ({ path, command }) => {
    expect(command.description()).toMatch(/^[a-z].*[^.]$/)
    expect(command).toBeInstanceOf(DeclaredCommand)
    const { examples } = (command as DeclaredCommand).notes
    expect(examples.filter(([line]) => line.includes(path)).length).toBeGreaterThanOrEqual(2)
    for (const [line, about] of examples) {
      expect(line).toContain('petstore ')
      expect(about).toMatch(/\S/)
    }
  })

  test.each(commands)('$path describes its options and arguments', ({ command }) => {
    for (const { flags, description } of command.options) expect(`${flags}: ${description}`).toMatch(/: [a-z]/)
    for (const argument of command.registeredArguments) expect(argument.description).toMatch(/^[a-z]/)
  })
})

test('no flag has two meanings', () => {
  const meanings = new Map<string, string>()
  const shared = new Map([
    // A filter, and the state of a new animal: the same field of the same thing.
    ['--status', ['leave out animals of any other status', 'its state']],
    [
      '--base-url',
      [
        "the environment's base address, kept in the same step",
        'the base address; its path ends in /v1 by the description of the service',
      ],
    ],
    [
      '--messages-url',
      ["the environment's messages address, kept in the same step", 'the address that messages are sent to'],
    ],
    [
      '--file',
      [
        'a JSON file that holds the animal (-: standard input)',
        'a file that is the body, byte for byte (-: standard input)',
      ],
    ],
    ['--no-verify', ['keep the key without trying it', 'do not ask the service']],
  ])
  for (const { path, command } of commands) {
    for (const { short, long, description } of command.options) {
      for (const flag of [short, long].filter((name) => name !== undefined)) {
        if (shared.get(flag)?.includes(description)) continue
        expect(meanings.get(flag) ?? description, `${flag} of ${path}`).toBe(description)
        meanings.set(flag, description)
      }
    }
  }
})

test('no two options of one command line share an attribute', () => {
  for (const { path, command } of commands) {
    if (command === program) continue
    const names = [...program.options, ...command.options]
      .filter(({ long }) => long !== '--no-color')
      .map((option) => option.attributeName())
    expect(new Set(names).size, path).toBe(names.length)
  }
})
