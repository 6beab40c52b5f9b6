import { describe, expect, test } from 'vitest'
import { type Call, operations } from '../../src/client/operations.ts'
import { operationCalls } from '../support/operation-calls.ts'

describe('a call', () => {
  test.each<[name: string, call: Call, expected: Partial<Call>, repeat: string]>([
    [
      'without options',
      operations.listPets({ status: undefined }),
      { method: 'GET', path: '/pets', command: 'petstore pets list' },
      'petstore pets list'
    ],
    [
      'with options, in the path and the command',
      operations.listPets({ status: 'sold', limit: 5 }),
      {
        path: '/pets?status=sold&limit=5',
        command: 'petstore pets list'
      },
      'petstore pets list --status sold --limit 5'
    ],
    [
      'as a part of a search, which the command repeats',
      operations.listPets({
        status: 'sold',
        limit: 100,
        search: { name: ['Rex', '-x'], categoryId: -7n, limit: 5 }
      }),
      { path: '/pets?status=sold&limit=100' },
      'petstore pets list --name=Rex --name=-x --category-id=-7 --limit 5'
    ],
    [
      'with a parameter, in the path, the texts and the command',
      operations.getPet(-(2n ** 63n)),
      {
        path: '/pets/-9223372036854775808',
        task: 'show pet -9223372036854775808',
        thing: 'pet -9223372036854775808',
        command: 'petstore pets get'
      },
      'petstore pets get -9223372036854775808'
    ]
  ])('%s', (_, call, expected, repeat) => {
    expect(call).toMatchObject(expected)
    expect(call.repeat?.(String)).toBe(repeat)
  })

  test('sends its body to its path', () => {
    const pet = { name: 'Rex', categoryId: 7n }
    expect(operations.addPet(pet)).toMatchObject({ path: '/pets', body: pet })
  })
})

test.each(operationCalls)(
  '$command describes a change, or has a command that repeats it',
  ({ method, change, repeat }) => {
    const isChange = method !== 'GET'
    expect(change !== undefined).toBe(isChange)
    expect(repeat === undefined).toBe(isChange)
  }
)

describe('the command that finds a new pet', () => {
  const list = 'petstore pets list'
  test.each([
    ['Rex', 7n, `${list} --name=Rex --category-id 7`],
    ['Sir Rex', -7n, `${list} --name='Sir Rex' --category-id=-7`],
    ['-x', 9007199254740993n, `${list} --name=-x --category-id 9007199254740993`],
    ["O'Brien", 7n, `${list} --name='O'\\''Brien' --category-id 7`],
    ['x'.repeat(100), 7n, `${list} --name=${'x'.repeat(100)} --category-id 7`],
    // A name that a hint cannot show exactly is left out.
    ['x'.repeat(101), 7n, `${list} --category-id 7`],
    ['a\u001b[2J', 7n, `${list} --category-id 7`],
    ['a\u202eb', 7n, `${list} --category-id 7`],
    ['a\n', 7n, `${list} --category-id 7`],
    ['the secret', 7n, `${list} --category-id 7`]
  ])('named %j', (name, categoryId, command) => {
    const redact = (text: string) => text.replace('secret', '***')
    const { find } = operations.addPet({ name, categoryId })
    expect(find?.(redact)).toBe(command)
  })
})
