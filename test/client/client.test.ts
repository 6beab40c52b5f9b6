import { describe, expect, it, onTestFinished } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { createNetworkTransport } from '../../src/client/transport.ts'
import { Failure, type FailureCode } from '../../src/failure.ts'
import { rawServer, refusingAddress } from '../support/raw-server.ts'
import { type Answer, recordingServer } from '../support/recording-server.ts'

interface Options {
  key?: string
  timeoutSeconds?: number
  signal?: AbortSignal
}

function clientOf(
  url: string,
  { key = 'sk_test', timeoutSeconds = 20, signal }: Options = {}
): Client {
  const transport = createNetworkTransport({
    timeoutSeconds,
    userAgent: 'petstore-cli/test',
    signal
  })
  onTestFinished(() => transport.close())
  const endpoint = {
    url,
    key,
    describeKey: 'the key from PETSTORE_API_KEY',
    environment: 'staging',
    keyVariable: 'PETSTORE_API_KEY'
  }
  return createClient({
    send: transport.send,
    endpoints: { pets: () => ({ ...endpoint, url: `${url}/v1` }), messages: () => endpoint },
    redactor: async () => text => text.replaceAll('sk_test_secret', '***')
  })
}

const calls = {
  list: (client: Client) => client.listPets({}),
  get: (client: Client) => client.getPet(7n),
  add: (client: Client) => client.addPet({ name: 'Rex', categoryId: 7n }),
  message: (client: Client) => client.sendMessage('hi')
}

async function failureOf(outcome: Promise<unknown>): Promise<Failure> {
  const failure: unknown = await outcome.catch((error: unknown) => error)
  if (!(failure instanceof Failure)) throw new Error('there was no failure', { cause: failure })
  return failure
}

const rex = { id: 12n, name: 'Rex', categoryId: 9007199254740993n }
const rexText = '{"id":12,"name":"Rex","categoryId":9007199254740993}'

describe('the request', () => {
  it.each<[string, (client: Client) => Promise<unknown>, string, object]>([
    [
      'a list without options',
      ({ listPets }) => listPets({}),
      '[]',
      { method: 'GET', path: '/v1/pets', body: '' }
    ],
    [
      'a list with options',
      ({ listPets }) => listPets({ status: 'sold', limit: 5 }),
      '[]',
      { method: 'GET', path: '/v1/pets?status=sold&limit=5' }
    ],
    [
      'the smallest id',
      ({ getPet }) => getPet(-(2n ** 63n)),
      rexText,
      { method: 'GET', path: '/v1/pets/-9223372036854775808' }
    ],
    [
      'a new pet',
      ({ addPet }) => addPet({ name: 'Rex', categoryId: 9007199254740993n, status: undefined }),
      rexText,
      { method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":9007199254740993}' }
    ],
    [
      'a message',
      ({ sendMessage }) => sendMessage('é\u202e'),
      '{"id":"m","message":"","status":"queued","createdAt":""}',
      { method: 'POST', path: '/messages', body: '{"message":"é\\u202e"}' }
    ]
  ])('%s', async (_, call, body, expected) => {
    const server = await recordingServer({ status: 200, body })
    await call(clientOf(server.url))
    expect(server.requests).toMatchObject([expected])
    const { headers, method } = server.requests[0] ?? {}
    expect(headers).toMatchObject({ authorization: 'Bearer sk_test', accept: 'application/json' })
    expect(headers?.['content-type']).toBe(method === 'POST' ? 'application/json' : undefined)
  })
})

describe('the reply', () => {
  it('keeps every digit, and fields and statuses unknown to this version', async () => {
    const server = await recordingServer({
      body: `[${rexText.replace('}', ',"status":"resting","tag":1.0}')},{"id":1e0,"name":"A","categoryId":-9223372036854775808}]`
    })
    const [first, second, ...more] = await clientOf(server.url).listPets({})
    expect(first).toMatchObject({ ...rex, status: 'resting' })
    expect(String(first?.tag)).toBe('1.0')
    expect(second).toStrictEqual({ id: 1n, name: 'A', categoryId: -(2n ** 63n) })
    expect(more).toEqual([])
  })

  it.each([200, 201, 202])('of a POST may have status %i', async status => {
    const server = await recordingServer({ status, body: rexText })
    expect(await calls.add(clientOf(server.url))).toStrictEqual(rex)
  })
})

/** Only pets can be listed, to find one that may have been added. */
const findingOf = (call: keyof typeof calls, code: FailureCode) =>
  call === 'add' && code === 'in-doubt'
    ? '; an older pet may have the same name, and a service that changes names or statuses shows the pet otherwise'
    : ''

const said = { code: 'E_X', message: 'so it is', status: 400 }
const unreadable = 'the pet was added, but the reply cannot be read: '
const foreign = "the pet may have been added: the reply is not the service's: "

// The failures of lists and of new pets are in docs/faults.md, which test/spawned/faults.test.ts
// compares.
describe('a reply that fails', () => {
  it.each<[keyof typeof calls, Answer, FailureCode, string]>([
    [
      'get',
      { body: '{"id":1}' },
      'service',
      'unexpected reply from URL/v1/pets/7: name is missing (200)'
    ],
    [
      'add',
      { body: Buffer.from('{"id":7,"name":"Ren\xe9","categoryId":1}', 'latin1') },
      'in-doubt',
      `${unreadable}it is not valid JSON (URL/v1/pets, 200)`
    ],
    ['add', { body: 'null' }, 'in-doubt', `${unreadable}it must be an object (URL/v1/pets, 200)`],
    ['add', { body: 'nullify' }, 'in-doubt', `${foreign}it is not JSON (URL/v1/pets, 200)`],
    ['add', { body: 'see [1]' }, 'in-doubt', `${foreign}it is not JSON (URL/v1/pets, 200)`],
    ['add', { body: ' \n{' }, 'in-doubt', `${unreadable}it is not valid JSON (URL/v1/pets, 200)`],
    [
      'message',
      { status: 202, body: '{' },
      'in-doubt',
      'the message was sent, but the reply cannot be read: it is not valid JSON (URL/messages, 202)'
    ],
    ['get', { status: 404, json: said }, 'not-found', 'there is no pet 7 at URL/v1: so it is'],
    ['message', { status: 410 }, 'not-found', 'there is no way to send the message at URL (410)'],
    [
      'list',
      {
        status: 429,
        headers: {
          date: 'Tue, 01 Jan 2030 00:00:00 GMT',
          'retry-after': 'Tue, 01 Jan 2030 02:30:00 GMT'
        }
      },
      'service',
      'URL/v1/pets accepts no more requests right now (429); the service asked for a wait of 2 h 30 min'
    ]
  ])('%s %o: %s', async (call, answer, code, message) => {
    const server = await recordingServer(answer)
    const failure = await failureOf(calls[call](clientOf(server.url)))
    expect({ ...failure, message: failure.message.replaceAll(server.url, 'URL') }).toMatchObject({
      code,
      message: message + findingOf(call, code),
      stage: 'reply',
      isRetryable: answer.status === 429,
      status: answer.status ?? 200,
      serviceCode: answer.json === said ? 'E_X' : undefined
    })
    expect(server.requests).toHaveLength(1)
  })

  it('may be lost after a message was sent', async () => {
    const server = await rawServer(() => {})
    const failure = await failureOf(calls.message(clientOf(server.url, { timeoutSeconds: 0.3 })))
    expect(failure).toMatchObject({ code: 'in-doubt', isRetryable: false })
    expect(failure.message).toMatch(
      /no complete reply from .* within 0.3 s; the message may have been sent$/
    )
  })
})

describe('an interrupt', () => {
  const ending = (signal: 'SIGINT' | 'SIGTERM') =>
    new Failure('interrupted', 'interrupted', { exitCode: signal === 'SIGINT' ? 130 : 143 })

  it.each([
    ['list', 'SIGINT', 'interrupted', 130],
    ['list', 'SIGTERM', 'interrupted', 143],
    ['add', 'SIGINT', 'interrupted; the pet may have been added', 130],
    ['message', 'SIGTERM', 'interrupted; the message may have been sent', 143]
  ] as const)('%s after the request started: %s', async (call, signal, message, exitCode) => {
    const controller = new AbortController()
    const server = await rawServer(() => controller.abort(ending(signal)))
    const failure = await failureOf(
      calls[call](clientOf(server.url, { signal: controller.signal }))
    )
    const finding = findingOf(call, 'in-doubt')
    expect({ ...failure, message: failure.message }).toMatchObject({
      code: 'interrupted',
      message: message + finding,
      exitCode
    })
  })

  it('before a POST starts: the failure does not mention a possible change', async () => {
    const failure = ending('SIGTERM')
    const signal = AbortSignal.abort(failure)
    const url = await refusingAddress()
    expect(await failureOf(calls.add(clientOf(url, { signal })))).toBe(failure)
  })
})

it('an error that is not a network fault is passed on unchanged', async () => {
  const cause = new Failure('local', 'the local data cannot be written')
  const send = () => Promise.reject(cause)
  const endpoint = () => ({
    url: 'http://local.invalid',
    key: 'k',
    describeKey: 'the key',
    environment: 'local'
  })
  expect(
    await failureOf(
      createClient({
        send,
        endpoints: { pets: endpoint, messages: endpoint },
        redactor: async () => String
      }).listPets({})
    )
  ).toBe(cause)
})
