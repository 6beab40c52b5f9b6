import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createNameLookup, resolverOptions } from '../../src/platform/name-lookup.ts'

const lookupAll = (name: string, seconds: number) =>
  promisify(createNameLookup(seconds))(name, { all: true })

describe('names of loopback', () => {
  test.each(['localhost', 'api.localhost', 'A.B.LocalHost.'])(
    '%s needs no name server',
    async name => {
      expect(await lookupAll(name, 1)).toEqual([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 }
      ])
    }
  )

  test.each([
    [4, '127.0.0.1'],
    [6, '::1'],
    [0, '127.0.0.1']
  ])('have one address of family %i', async (family, expected) => {
    const found = await new Promise((resolve, reject) => {
      createNameLookup(1)('api.localhost', { family }, (error, address) =>
        error ? reject(error) : resolve(address)
      )
    })
    expect(found).toBe(expected)
  })
})

describe('the limits of the resolver', () => {
  const one = 'nameserver 10.0.0.1\n'
  const three = `# nameserver 10.0.0.9\n${one}${one}nameserver\t10.0.0.3\n${one}`
  test.each<[configuration: string, seconds: number, options: string | undefined]>([
    [one, 30, undefined],
    ['', 30, undefined],
    [one, 10, undefined],
    [one, 9, 'timeout:5 attempts:1'],
    [one, 2, 'timeout:2 attempts:1'],
    [one, 1, 'timeout:1 attempts:1'],
    [one, 0.2, 'timeout:1 attempts:1'],
    [three, 30, undefined],
    [three, 6, 'timeout:2 attempts:1'],
    [three, 3, 'timeout:1 attempts:1'],
    [`search a.example\n${three}search b.example  c.example\n`, 30, 'timeout:3 attempts:1'],
    [`domain a.example\n${one}`, 4, 'timeout:2 attempts:1']
  ])('%j within %d s: %s', (configuration, seconds, options) => {
    expect(resolverOptions(configuration, seconds)).toBe(options)
  })
})

test('the resolver stops at the deadline of the first lookup, where Node cannot abandon a lookup', async () => {
  delete process.env.RES_OPTIONS
  // An address needs no name server.
  expect(await lookupAll('127.0.0.2', 0.1)).toEqual([{ address: '127.0.0.2', family: 4 }])
  expect(process.env.RES_OPTIONS).toBe('execve' in process ? undefined : 'timeout:1 attempts:1')
  process.env.RES_OPTIONS = 'timeout:9'
  await lookupAll('127.0.0.2', 0.1)
  expect(process.env.RES_OPTIONS).toBe('timeout:9')
  delete process.env.RES_OPTIONS
})
