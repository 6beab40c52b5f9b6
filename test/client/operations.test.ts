import { describe, expect, test } from 'vitest'
import { type Call, callOf, operations, pathAndBodyOf } from '../../src/client/operations.ts'

const endpoint = { url: 'https://pets.example/v1', describeKey: 'the key', environment: 'staging' }

describe('a call', () => {
  test.each<[name: string, call: Call, expected: Partial<Call>]>([
    [
      'without options',
      callOf(operations.listPets, { status: undefined }, endpoint),
      { method: 'GET', path: '/pets', command: 'petstore pets list', repeat: 'petstore pets list' },
    ],
    [
      'with options, in the path and the command',
      callOf(operations.listPets, { status: 'sold', limit: 5 }, endpoint),
      {
        path: '/pets?status=sold&limit=5',
        isAboutOneThing: false,
        command: 'petstore pets list',
        repeat: 'petstore pets list --status sold --limit 5',
      },
    ],
    [
      'with a parameter, in the path, the texts and the command',
      callOf(operations.getPet, -(2n ** 63n), endpoint),
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
    const call = callOf(operations.addPet, { name: 'Rex', categoryId: 7n }, endpoint)
    expect(call).toMatchObject({ command: 'petstore pets add', repeat: undefined })
  })

  test('sends its body to its path', () => {
    const pet = { name: 'Rex', categoryId: 7n }
    expect(pathAndBodyOf(operations.addPet, pet)).toEqual({ path: '/pets', body: pet })
  })
})

test('only operations that change something describe a change', () => {
  for (const { method, change } of Object.values(operations))
    expect(change !== undefined).toBe(method !== 'GET')
})

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
    ['the secret', 7n, `${list} --category-id 7`],
  ])('named %j', (name, categoryId, command) => {
    const isShownExactly = (text: string) => !text.includes('secret')
    const { find } = callOf(operations.addPet, { name, categoryId }, endpoint, isShownExactly)
    expect(find?.command).toBe(command)
  })
})
