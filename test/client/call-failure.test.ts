import { expect, test } from 'vitest'
import { callFailure } from '../../src/client/call-failure.ts'
import { operations } from '../../src/client/operations.ts'
import { TransportFault } from '../../src/client/transport-fault.ts'
import type { Reply } from '../../src/model/exchange.ts'

const url = 'https://pets.example/v1'
const endpoint = { url, key: 'k', describeKey: 'the key of staging', environment: 'staging' }
const call = { ...operations.listPets({ status: 'sold' }), endpoint, redact: String }
const reply = (status: number, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers,
  body: new Uint8Array()
})

test.each([
  [199, `${url}/pets replied with an unexpected status (199)`],
  [300, `${url}/pets redirects elsewhere; redirects are not followed (300)`],
  [400, `the service refused to list the pets at ${url}/pets (400)`],
  [401, `the key of staging was refused by ${url}/pets (401)`],
  [404, `there is no way to list the pets at ${url} (404)`],
  [429, `${url}/pets accepts no more requests right now (429)`],
  [500, `the service failed at ${url}/pets (500)`],
  [501, `${url}/pets does not support this request (501)`],
  [503, `${url}/pets is overloaded or down (503)`],
  [599, `the service failed at ${url}/pets (599)`],
  [600, `${url}/pets replied with an unexpected status (600)`]
])('the message for status %i', (status, words) => {
  expect(callFailure(reply(status), call).message).toBe(words)
})

test.each([
  [304, '/pets', `${url}/pets replied with an unexpected status (304)`],
  [
    301,
    '/v2/pets?key=secret',
    `${url}/pets redirects to https://pets.example/v2/pets; redirects are not followed (301)`
  ],
  [
    308,
    'http://a:b@x.example',
    `${url}/pets redirects to http://x.example/; redirects are not followed (308)`
  ],
  [
    302,
    'https://x.example/a;jsessionid=secret',
    `${url}/pets redirects to https://x.example/a; redirects are not followed (302)`
  ],
  [302, '?page=2', `${url}/pets redirects elsewhere; redirects are not followed (302)`],
  [
    302,
    'javascript://alert(1)',
    `${url}/pets redirects elsewhere; redirects are not followed (302)`
  ],
  [302, 'xhttp://x.example', `${url}/pets redirects elsewhere; redirects are not followed (302)`],
  [
    302,
    `/${'x'.repeat(179)}`,
    `${url}/pets redirects to https://pets.example/${'x'.repeat(179)}; redirects are not followed (302)`
  ],
  [302, `/${'x'.repeat(180)}`, `${url}/pets redirects elsewhere; redirects are not followed (302)`],
  [302, 'http://:0', `${url}/pets redirects elsewhere; redirects are not followed (302)`],
  [302, undefined, `${url}/pets redirects elsewhere; redirects are not followed (302)`]
])('the message for status %i with the location %j', (status, location, message) => {
  expect(callFailure(reply(status, { location }), call).message).toBe(message)
})

test.each([404, 410])('the message for status %i about one pet says that there is none', status => {
  const get = { ...operations.getPet(7n), endpoint, redact: String }
  expect(callFailure(reply(status), get).message).toBe(`there is no pet 7 at ${url}`)
})

test.each([
  [
    'a missing list',
    reply(404),
    'there is no way to list the pets at https://pets.example (404); the path of a base URL usually ends in /v1'
  ],
  ['501', reply(501), 'https://pets.example/pets does not support this request (501)'],
  [
    'an unknown host',
    new TransportFault('dns', { phase: 'connecting' }),
    'there is no host named pets.example'
  ]
])('the message for %s with a base URL without /v1', (_, end, message) => {
  const elsewhere = { ...call, endpoint: { ...endpoint, url: 'https://pets.example' } }
  expect(callFailure(end, elsewhere).message).toBe(message)
})

test('the message does not repeat what the service only says again', () => {
  const get = { ...operations.getPet(7n), endpoint, redact: String }
  const body = Buffer.from('{"message":"there is no pet 7"}')
  expect(callFailure({ ...reply(404), body }, get).message).toBe(`there is no pet 7 at ${url}`)
})

test('the message for a refusal whose body is cut off is about its status', () => {
  const cut = (status: number) =>
    callFailure(new TransportFault('lost', { phase: 'receiving', head: reply(status) }), call)
  expect(cut(500).message).toBe(`the service failed at ${url}/pets (500)`)
  expect(cut(200).message).toBe(
    'the connection to https://pets.example was lost before the reply was complete'
  )
})

test('an unknown authority has the advice to use those of the system', () => {
  const fault = new TransportFault('unknown-authority', { phase: 'connecting' })
  const { message, hint } = callFailure(fault, call)
  expect(message).toContain('NODE_USE_SYSTEM_CA=1')
  expect(hint).toBe('export NODE_EXTRA_CA_CERTS=/PATH/TO/AUTHORITY.pem')
})
