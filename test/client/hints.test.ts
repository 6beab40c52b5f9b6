import { describe, expect, test } from 'vitest'
import { type FailedCall, nextCommand } from '../../src/client/next-command.ts'
import { type Call, operations, type SentCall } from '../../src/client/operations.ts'
import { faultKindOf, ProxyError, TransportFault } from '../../src/client/transport-fault.ts'
import type { Endpoint } from '../../src/model/endpoint.ts'

const endpoint: Endpoint = {
  url: 'https://pets.example/v1',
  key: 'sk_test_12345678',
  describeKey: 'the key of staging',
  environment: 'staging'
}
const sent = (call: Call) => ({ ...call, endpoint, redact: String })
const calls = {
  list: sent(operations.listPets({ status: 'sold' })),
  get: sent(operations.getPet(7n)),
  add: sent(operations.addPet({ name: 'Rex', categoryId: 7n })),
  send: sent(operations.sendMessage('hi'))
}

const timeout = (seconds: number) => new TransportFault('timeout', { phase: 'waiting', seconds })
const lost = new TransportFault('lost', { phase: 'waiting' })

describe('the hint', () => {
  test.each<
    [
      what: string,
      hint: string | undefined,
      name: keyof typeof calls,
      Omit<FailedCall, keyof SentCall>
    ]
  >([
    [
      'a pet that may have been added',
      'petstore pets list --name=Rex --category-id 7 --env staging',
      'add',
      { code: 'in-doubt', fault: lost }
    ],
    [
      'a message that may have been sent (no command lists messages)',
      undefined,
      'send',
      { code: 'in-doubt', fault: lost }
    ],
    [
      'a refused saved key',
      'petstore auth login --env staging',
      'list',
      { code: 'auth', status: 401 }
    ],
    ['wrong contents', 'petstore pets add --help', 'add', { code: 'rejected', status: 400 }],
    [
      'a pet that does not exist',
      'petstore pets list --env staging',
      'get',
      { code: 'not-found', status: 404 }
    ],
    [
      'a URL without pets',
      'petstore env list --env staging',
      'list',
      { code: 'not-found', status: 404 }
    ],
    [
      'a short timeout',
      'petstore pets get 7 --env staging --timeout 60',
      'get',
      { code: 'unreachable', fault: timeout(1) }
    ],
    [
      'a long timeout',
      'petstore doctor --env staging --timeout 240',
      'add',
      { code: 'unreachable', fault: timeout(120) }
    ],
    [
      'the longest timeout',
      'petstore pets list --status sold --env staging --timeout 86400',
      'list',
      { code: 'unreachable', fault: timeout(86_400) }
    ],
    [
      'a lost connection',
      'petstore pets list --status sold --env staging',
      'list',
      { code: 'unreachable', fault: lost }
    ],
    [
      'an error that is not retried',
      'petstore pets list --status sold --env staging',
      'list',
      { code: 'service', status: 500 }
    ],
    [
      '429 to a POST of a pet',
      'petstore doctor --env staging',
      'add',
      { code: 'service', status: 429 }
    ],
    [
      '503 to a POST of a message',
      'petstore doctor --env staging',
      'send',
      { code: 'service', status: 503, waitSeconds: 1 }
    ],
    [
      'a wait of two hours',
      'sleep 7200',
      'send',
      { code: 'service', status: 429, waitSeconds: 7200 }
    ],
    [
      'a fraction of a second more',
      'sleep 7201',
      'send',
      { code: 'service', status: 429, waitSeconds: 7200.5 }
    ],
    [
      'a wait of one minute',
      'petstore pets get 7 --env staging',
      'get',
      { code: 'service', status: 429, waitSeconds: 60 }
    ],
    [
      'a name lookup without an answer',
      'petstore pets get 7 --env staging --timeout 60',
      'get',
      {
        code: 'unreachable',
        fault: new TransportFault('lookup-timeout', { phase: 'connecting', seconds: 30 })
      }
    ],
    ['a redirect', 'petstore env list --env staging', 'get', { code: 'service', status: 302 }],
    ['501', 'petstore env list --env staging', 'get', { code: 'service', status: 501 }],
    ['599', 'petstore pets get 7 --env staging', 'get', { code: 'service', status: 599 }],
    [
      'a status unknown to HTTP',
      'petstore env list --env staging',
      'get',
      { code: 'service', status: 600 }
    ],
    [
      'a secure connection that was lost',
      'petstore pets get 7 --env staging',
      'get',
      { code: 'unreachable', fault: new TransportFault('no-tls', { phase: 'waiting' }) }
    ],
    [
      'a wait of one second',
      'petstore pets get 7 --env staging',
      'get',
      { code: 'service', status: 429, waitSeconds: 1 }
    ]
  ])('after %s: %s', (_, hint, name, failed) => {
    expect(nextCommand({ ...calls[name], ...failed })).toBe(hint)
  })

  test('after a wrong URL from a variable: the command that shows variables', () => {
    const failed: FailedCall = {
      ...calls.list,
      endpoint: { ...endpoint, urlVariable: 'PETSTORE_BASE_URL' },
      code: 'not-found',
      status: 404
    }
    expect(nextCommand(failed)).toBe('petstore config list --env staging')
  })

  describe('after a refused key from a variable', () => {
    const fromVariable = { ...endpoint, keyVariable: 'PETSTORE_API_KEY' }
    const refused = { code: 'auth', status: 401 } as const

    test('is the same command with the saved key, if there is one for this URL', () => {
      const failed = {
        ...calls.list,
        endpoint: { ...fromVariable, hasSavedKey: true },
        ...refused
      }
      expect(nextCommand(failed)).toBe(
        'env -u PETSTORE_API_KEY petstore pets list --status sold --env staging'
      )
    })

    test('is the help about keys for a change, or without a saved key', () => {
      const help = 'petstore help environment'
      expect(nextCommand({ ...calls.list, endpoint: fromVariable, ...refused })).toBe(help)
      const saved = { ...fromVariable, hasSavedKey: true }
      expect(nextCommand({ ...calls.add, endpoint: saved, ...refused })).toBe(help)
    })
  })

  test.each([
    ['http://127.0.0.1:4799/v1', 'petstore serve --port 4799'],
    ['http://localhost/v1', 'petstore serve --port 80'],
    ['http://4pets.localhost:4799/v1', 'petstore serve --port 4799'],
    ['http://localhost.:4799/v1', 'petstore serve --port 4799'],
    ['http://[::1]:4799/v1', 'petstore serve --port 4799 --host ::1'],
    ['http://127.0.0.2:4799/v1', 'petstore serve --port 4799 --host 127.0.0.2']
  ])('after %s refused the connection: the service that listens there', (url, hint) => {
    const fault = new TransportFault('refused', { phase: 'connecting' })
    const failed = { ...calls.list, endpoint: { ...endpoint, url }, fault }
    expect(nextCommand({ ...failed, code: 'unreachable' })).toBe(hint)
  })

  test('after a change that was refused: not a service, which may have another database', () => {
    const fault = new TransportFault('refused', { phase: 'connecting' })
    const here = { ...endpoint, url: 'http://127.0.0.1:4799/v1' }
    const failed = { ...calls.add, endpoint: here, code: 'unreachable' as const, fault }
    expect(nextCommand(failed)).toBe('petstore env list --env staging')
  })

  test('quotes the host of a proxy that requires a login', () => {
    const proxy = { origin: 'http://$(id)x:3128', hostname: '$(id)x', variable: 'HTTPS_PROXY' }
    const cause = new ProxyError(proxy, { status: 407 })
    const fault = new TransportFault('proxy-login', { phase: 'connecting', cause })
    const hint = nextCommand({ ...calls.list, code: 'unreachable', fault })
    expect(hint).toBe("export HTTPS_PROXY='http://USER:PASSWORD@$(id)x:3128'")
  })
})

test.each([
  [
    { status: 'sold' as const, limit: 7 },
    'petstore pets list --status sold --limit 7 --env staging'
  ],
  [{ limit: 7 }, 'petstore pets list --limit 7 --env staging'],
  [{}, 'petstore pets list --env staging']
])('the command to run again has the options %j', (query, hint) => {
  expect(
    nextCommand({
      ...sent(operations.listPets(query)),
      code: 'service',
      status: 500
    })
  ).toBe(hint)
})

test.each([
  ['a proxy that refuses the request', 403, undefined, 'unset HTTPS_PROXY'],
  [
    'a proxy that requires a login',
    407,
    undefined,
    'export HTTPS_PROXY=http://USER:PASSWORD@proxy.example:3128'
  ],
  ['a proxy that refuses the connection', undefined, 'ECONNREFUSED', 'unset HTTPS_PROXY'],
  ['a proxy whose certificate has expired', undefined, 'CERT_HAS_EXPIRED', 'date']
])('after %s', (_, status, code, hint) => {
  const origin = 'http://proxy.example:3128'
  const proxy = { origin, hostname: 'proxy.example', variable: 'HTTPS_PROXY' }
  const cause = new ProxyError(
    proxy,
    status === undefined ? { cause: Object.assign(new Error('x'), { code }) } : { status }
  )
  const fault = new TransportFault(faultKindOf(cause, 'connecting'), { phase: 'connecting', cause })
  expect(nextCommand({ ...calls.list, code: 'unreachable', fault })).toBe(hint)
})

test.each([
  ['http://127.0.0.1:4010/v1', 'petstore serve --port 4010'],
  ['http://localhost/v1', 'petstore serve --port 80'],
  ['https://127.0.0.1:4010/v1', 'petstore env list --env staging'],
  ['http://pets.example:4010/v1', 'petstore env list --env staging']
])('after a refused connection to %s: %s', (url, hint) => {
  const fault = new TransportFault('refused', { phase: 'connecting' })
  expect(
    nextCommand({ ...calls.list, endpoint: { ...endpoint, url }, code: 'unreachable', fault })
  ).toBe(hint)
})

test.each([400, 431])('after a login that is answered with %i: the help of the login', status => {
  const login = 'petstore auth login --env staging --base-url https://pets.example/v1'
  const failed: FailedCall = {
    ...calls.list,
    endpoint: { ...endpoint, login },
    code: 'rejected',
    status
  }
  expect(nextCommand(failed)).toBe('petstore auth login --help')
})
