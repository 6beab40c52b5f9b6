import { describe, expect, onTestFinished, test } from 'vitest'
import { faultSentence } from '../../src/client/failure-text.ts'
import { ProxyError, TransportFault } from '../../src/client/fault.ts'
import { createNetworkTransport } from '../../src/client/transport.ts'
import { proxyErrorOf } from '../../src/client/transport-proxy.ts'
import { isSuccess } from '../../src/model/exchange.ts'
import { rawServer, refusingAddress } from '../support/raw-server.ts'
import { recordingServer } from '../support/recording-server.ts'

describe('the reply of a proxy to a forwarded request', () => {
  const squid = (error: string) => ({ 'x-squid-error': error })

  test.each<[status: number, headers: Record<string, string | string[]>, expected: 'refused' | 'failed' | undefined]>([
    [407, {}, 'refused'],
    [407, { server: 'nginx' }, 'refused'],
    [200, squid('ERR_ACCESS_DENIED 0'), undefined],
    [399, squid('ERR_ACCESS_DENIED 0'), undefined],
    [400, squid('ERR_INVALID_URL 0'), 'refused'],
    [403, squid('ERR_ACCESS_DENIED 0'), 'refused'],
    [403, squid('ERR_CACHE_ACCESS_DENIED 0'), 'refused'],
    [503, squid('ERR_CONNECT_FAIL 111'), 'refused'],
    [503, squid('ERR_DNS_FAIL 0'), 'refused'],
    [503, squid('ERR_CANNOT_FORWARD 0'), 'refused'],
    [501, squid('ERR_UNSUP_REQ 0'), 'refused'],
    [502, squid('ERR_READ_ERROR 104'), 'failed'],
    [504, squid('ERR_READ_TIMEOUT 0'), 'failed'],
    [502, squid('X_ERR_ACCESS_DENIED 0'), 'failed'],
    [502, { 'x-squid-error': ['ERR_ACCESS_DENIED 0', 'x'] }, undefined],
    [500, { server: 'tinyproxy/1.11.1' }, 'refused'],
    [503, { server: 'tinyproxy/1.11.1' }, 'failed'],
    [502, { server: 'TinyProxy' }, 'refused'],
    [502, { server: 'nginx' }, undefined],
    [502, { server: 'tinyproxyish' }, undefined],
    [502, {}, undefined],
  ])('%i with %j: %s', (status, headers, expected) => {
    expect(proxyErrorOf({ status, headers })).toBe(expected)
  })
})

describe('a request through a proxy', () => {
  const authorization = 'Basic dTpw'

  async function send(proxyUrl: string, url: string, timeoutSeconds = 20) {
    const { origin, hostname } = new URL(proxyUrl)
    const proxyFor = () => ({ origin, hostname, variable: 'http_proxy', authorization })
    const transport = createNetworkTransport({ timeoutSeconds, userAgent: 'petstore-cli/test', proxyFor })
    onTestFinished(() => transport.close())
    return transport.send({ method: 'POST', url, headers: { authorization: 'Bearer k' }, body: '{}' })
  }
  const faultOf = (reply: Promise<unknown>) =>
    reply.then(
      () => undefined,
      (fault: TransportFault) => fault,
    )

  test('for plain http is sent with its full URL and the login, and the reply has the URL of the proxy', async () => {
    const proxy = await recordingServer({ status: 502, body: 'x' })
    const reply = await send(proxy.url, 'http://pets.example:81/v1/pets?a=b#c')
    expect(reply).toMatchObject({ status: 502, proxyOrigin: proxy.url })
    expect(proxy.requests).toMatchObject([
      {
        path: 'http://pets.example:81/v1/pets?a=b',
        headers: { host: 'pets.example:81', 'proxy-authorization': authorization, authorization: 'Bearer k' },
      },
    ])
  })

  test.each<[number, Record<string, string>, kind: string, isStarted: boolean, words: string]>([
    [407, {}, 'proxy-login', false, 'the proxy PROXY requires a user name and a password (407)'],
    [
      403,
      { 'x-squid-error': 'ERR_ACCESS_DENIED 0' },
      'proxy',
      false,
      'the proxy PROXY refused to connect to http://pets.example (403)',
    ],
    [
      502,
      { 'x-squid-error': 'ERR_READ_ERROR 104' },
      'proxy',
      true,
      'the proxy PROXY got no reply from http://pets.example (502)',
    ],
  ])('is a fault if the proxy itself replies with %i %j: %s', async (status, headers, kind, isStarted, words) => {
    const proxy = await recordingServer({ status, headers })
    const fault = await faultOf(send(proxy.url, 'http://pets.example/v1/pets'))
    expect(fault).toBeInstanceOf(TransportFault)
    expect(fault).toMatchObject({ kind, isStarted, cause: { status } })
    expect(fault && faultSentence(fault, 'http://pets.example/v1').replace(proxy.url, 'PROXY')).toBe(words)
  })

  test.each([
    ['403 Forbidden', 'proxy', 'the proxy PROXY refused to connect to https://pets.example (403)'],
    ['407 Proxy Authentication Required', 'proxy-login', 'the proxy PROXY requires a user name and a password (407)'],
  ])('for https is a CONNECT without the key, and %s is a refusal', async (status, kind, words) => {
    let asked = ''
    const proxy = await rawServer((socket, { head }) => {
      asked = head
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)
    })
    const fault = await faultOf(send(proxy.url, 'https://pets.example/v1/pets'))
    expect(fault).toMatchObject({ kind, isStarted: false })
    expect(fault && faultSentence(fault, 'https://pets.example/v1').replace(proxy.url, 'PROXY')).toBe(words)
    expect(asked).toMatch(/^CONNECT pets\.example:443 HTTP\/1\.1\r\n/)
    expect(asked).toContain(`proxy-authorization: ${authorization}`)
    expect(asked).not.toContain('Bearer')
  })

  test.each(['http', 'https'])('for %s is a refused connection if no proxy listens', async (scheme) => {
    const fault = await faultOf(send(await refusingAddress(), `${scheme}://pets.example/v1/pets`))
    expect(fault).toMatchObject({ kind: 'refused', isStarted: false, cause: expect.any(ProxyError) })
  })

  test('for https ends at the deadline if the proxy does not reply, and the message names the proxy', async () => {
    const proxy = await rawServer(() => {})
    const fault = await faultOf(send(proxy.url, 'https://pets.example/v1/pets', 0.3))
    expect(fault).toMatchObject({ kind: 'timeout', isStarted: false })
    expect(fault && faultSentence(fault, 'https://pets.example/v1')).toBe(
      `no connection to https://pets.example through the proxy ${proxy.url} within 0.3 s`,
    )
  })

  test('a tunnel is open only after a 2xx reply', () => {
    expect([199, 200, 299, 300].map((status) => isSuccess({ status }))).toEqual([false, true, true, false])
  })
})
