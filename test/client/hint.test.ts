import { describe, expect, test } from 'vitest'
import { hintFor, type Trouble } from '../../src/client/hint.ts'
import type { Operation } from '../../src/client/operations.ts'
import { TransportFault } from '../../src/client/transport-fault.ts'
import type { Endpoint } from '../../src/model/endpoint.ts'

const endpoint: Endpoint = {
  url: 'https://pets.example/v1',
  key: 'sk_test_12345678',
  describeKey: 'the kept key of staging',
  environment: 'staging',
}
const wording = { service: 'pets', path: '/pets', task: 'do it', absence: 'there is none' } as const
const look = 'petstore pets list'
const operations = {
  list: { ...wording, method: 'GET', commands: { self: look, again: `${look} --status sold`, look } },
  get: {
    ...wording,
    method: 'GET',
    isOfOneThing: true,
    commands: { self: 'petstore pets get', again: 'petstore pets get 7', look },
  },
  add: { ...wording, method: 'POST', commands: { self: 'petstore pets add', look } },
  send: { ...wording, method: 'POST', commands: { self: 'petstore messages send' } },
} satisfies Record<string, Operation>

const timeout = (seconds: number) => new TransportFault('timeout', { stage: 'waiting', seconds })
const lost = new TransportFault('lost', { stage: 'waiting' })

describe('the hint', () => {
  test.each<
    [what: string, hint: string | undefined, name: keyof typeof operations, Omit<Trouble, 'operation' | 'endpoint'>]
  >([
    ['a doubtful animal', 'petstore pets list --env staging', 'add', { code: 'in-doubt', fault: lost }],
    ['a doubtful message, which nothing lists', undefined, 'send', { code: 'in-doubt', fault: lost }],
    ['a kept key', 'petstore auth login --env staging', 'list', { code: 'auth', status: 401 }],
    ['wrong contents', 'petstore pets add --help', 'add', { code: 'rejected', status: 400 }],
    ['no such animal', 'petstore pets list --env staging', 'get', { code: 'not-found', status: 404 }],
    ['no list at all', 'petstore env list --env staging', 'list', { code: 'not-found', status: 404 }],
    [
      'too little time',
      'petstore pets get 7 --env staging --timeout 60',
      'get',
      { code: 'unreachable', fault: timeout(1) },
    ],
    [
      'too little of much time',
      'petstore doctor --env staging --timeout 240',
      'add',
      { code: 'unreachable', fault: timeout(120) },
    ],
    [
      'more time than there is',
      'petstore pets list --status sold --env staging --timeout 86400',
      'list',
      { code: 'unreachable', fault: timeout(86_400) },
    ],
    [
      'a lost connection',
      'petstore pets list --status sold --env staging --retries 10',
      'list',
      { code: 'unreachable', again: 'repeat', fault: lost },
    ],
    [
      'a fault that is not repeated',
      'petstore pets list --status sold --env staging',
      'list',
      { code: 'service', again: 'allowed', status: 500 },
    ],
    [
      'an animal that there was no time for',
      'petstore doctor --env staging',
      'add',
      { code: 'service', again: 'repeat', status: 429 },
    ],
    [
      'a message that there was no time for',
      'petstore doctor --env staging',
      'send',
      { code: 'service', again: 'repeat', status: 503, wait: 1 },
    ],
    ['a wait of two hours', 'sleep 7200', 'send', { code: 'service', status: 429, wait: 7200 }],
    [
      'a wait that was too short',
      'petstore pets get 7 --env staging --retries 10',
      'get',
      { code: 'service', again: 'repeat', status: 429, wait: 1 },
    ],
  ])('after %s: %s', (_, hint, name, trouble) => {
    expect(hintFor({ operation: operations[name], endpoint, ...trouble })).toBe(hint)
  })

  test('after an address of a variable: the list that shows variables', () => {
    const trouble: Trouble = {
      operation: operations.list,
      endpoint: { ...endpoint, urlVariable: 'PETSTORE_BASE_URL' },
      code: 'not-found',
      status: 404,
    }
    expect(hintFor(trouble)).toBe('petstore config list --env staging')
  })

  test('fills the variable that the key came from, without the key showing', () => {
    const trouble: Trouble = {
      operation: operations.list,
      endpoint: { ...endpoint, keyVariable: 'PETSTORE_API_KEY' },
      code: 'auth',
    }
    expect(hintFor(trouble)).toBe('read -rs PETSTORE_API_KEY; export PETSTORE_API_KEY')
  })
})
