import { describe, expect, test } from 'vitest'
import { type Call, callOf, operations, targetOf } from '../../src/client/operations.ts'
import { shellQuoted } from '../../src/platform/shell.ts'

describe('a call', () => {
  test.each<[name: string, call: Call, expected: Partial<Call>]>([
    [
      'without options',
      callOf(operations.listPets, { status: undefined }),
      { method: 'GET', path: '/pets', command: 'petstore pets list', repeat: 'petstore pets list' },
    ],
    [
      'with options, in the path and the command',
      callOf(operations.listPets, { status: 'sold', limit: 5 }),
      {
        path: '/pets?status=sold&limit=5',
        isAboutOneThing: false,
        command: 'petstore pets list',
        repeat: 'petstore pets list --status sold --limit 5',
      },
    ],
    [
      'with a parameter, in the path, the texts and the command',
      callOf(operations.getPet, -(2n ** 63n)),
      {
        path: '/pets/-9223372036854775808',
        task: 'show pet -9223372036854775808',
        absence: 'there is no pet -9223372036854775808',
        isAboutOneThing: true,
        command: 'petstore pets get',
        repeat: 'petstore pets get -9223372036854775808',
      },
    ],
  ])('%s', (_, call, expected) => {
    expect(call).toMatchObject(expected)
  })

  test('that changes something has no command that repeats it', () => {
    const call = callOf(operations.addPet, { name: 'Rex', categoryId: 7n })
    expect(call).toMatchObject({ command: 'petstore pets add', repeat: undefined })
  })

  test('sends its body to its path', () => {
    const pet = { name: 'Rex', categoryId: 7n }
    expect(targetOf(operations.addPet, pet)).toEqual({ path: '/pets', body: pet })
  })
})

test('only operations that change something describe a change', () => {
  for (const { method, change } of Object.values(operations))
    expect(change !== undefined).toBe(method !== 'GET')
})

test.each([
  ['Rex', '"Rex"'],
  ["O'Brien \\(1)", String.raw`"O'Brien \\(1)"`],
  // No character that acts on a terminal or that a shell cannot read is left.
  ['a\u001b\u202e\n', String.raw`"a\u001b\u202e\n"`],
])('the command that finds a new pet named %j', (name, quoted) => {
  const expression = `map(select(.name == ${quoted} and .categoryId == 9007199254740993))`
  const { find } = callOf(operations.addPet, { name, categoryId: 9007199254740993n })
  expect(find?.command).toBe(`petstore pets list --limit 100 --jq ${shellQuoted(expression)}`)
})
