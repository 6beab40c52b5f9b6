import { describe, expect, onTestFinished, test } from 'vitest'
import { createNetworkTransport } from '../../src/client/transport.ts'
import { faultSentence, ProxyError, type TransportFault } from '../../src/client/transport-fault.ts'
import { rawServer, refusingAddress } from '../support/raw-server.ts'
import { recordingServer } from '../support/recording-server.ts'

describe('a request through a proxy', () => {
  const authorization = 'Basic dTpw'

  async function send(proxyUrl: string, url: string, timeoutSeconds = 20) {
    const { origin, hostname } = new URL(proxyUrl)
    const proxyFor = () => ({ origin, hostname, variable: 'http_proxy', authorization })
    const transport = createNetworkTransport({
      timeoutSeconds,
      userAgent: 'petstore-cli/test',
      proxyFor
    })
    onTestFinished(() => transport.close())
    return transport.send({
      method: 'POST',
      url,
      headers: { authorization: 'Bearer k' },
      body: '{}'
    })
  }
  const faultOf = (reply: Promise<unknown>) =>
    reply.then(
      () => undefined,
      (fault: TransportFault) => fault
    )

  test('for plain http is sent with its full URL and the login', async () => {
    const proxy = await recordingServer({ status: 502, body: 'x' })
    const reply = await send(proxy.url, 'http://pets.example:81/v1/pets?a=b#cd')
    expect(reply).toMatchObject({ status: 502 })
    expect(proxy.requests).toMatchObject([
      {
        path: 'http://pets.example:81/v1/pets?a=b',
        headers: {
          host: 'pets.example:81',
          'proxy-authorization': authorization,
          authorization: 'Bearer k'
        }
      }
    ])
  })

  test('for plain http is refused by the proxy itself only with 407', async () => {
    const proxy = await recordingServer({ status: 407 })
    const fault = await faultOf(send(proxy.url, 'http://pets.example/v1/pets'))
    expect(fault).toMatchObject({ kind: 'proxy-login', isStarted: false, cause: { status: 407 } })
    expect(
      fault && faultSentence(fault, 'http://pets.example/v1').replace(proxy.url, 'PROXY')
    ).toBe('the proxy PROXY requires a user name and a password (407)')
  })

  test.each([
    ['403 Forbidden', 'proxy', 'the proxy PROXY refused to connect to https://pets.example (403)'],
    [
      '407 Proxy Authentication Required',
      'proxy-login',
      'the proxy PROXY requires a user name and a password (407)'
    ]
  ])('for https is a CONNECT without the key, and %s is a refusal', async (status, kind, words) => {
    let asked = ''
    const proxy = await rawServer((socket, { head }) => {
      asked = head
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)
    })
    const fault = await faultOf(send(proxy.url, 'https://pets.example/v1/pets'))
    expect(fault).toMatchObject({ kind, isStarted: false })
    expect(
      fault && faultSentence(fault, 'https://pets.example/v1').replace(proxy.url, 'PROXY')
    ).toBe(words)
    expect(asked).toMatch(/^CONNECT pets\.example:443 HTTP\/1\.1\r\n/)
    expect(asked).toContain(`proxy-authorization: ${authorization}`)
    expect(asked).not.toContain('Bearer')
  })

  test.each(['http', 'https'])(
    'for %s is a refused connection if no proxy listens',
    async scheme => {
      const fault = await faultOf(send(await refusingAddress(), `${scheme}://pets.example/v1/pets`))
      expect(fault).toMatchObject({
        kind: 'refused',
        isStarted: false,
        cause: expect.any(ProxyError)
      })
    }
  )

  test('for https ends at the deadline if the proxy does not reply, and the message names the proxy', async () => {
    const proxy = await rawServer(() => {})
    const fault = await faultOf(send(proxy.url, 'https://pets.example/v1/pets', 0.3))
    expect(fault).toMatchObject({ kind: 'timeout', isStarted: false })
    expect(fault && faultSentence(fault, 'https://pets.example/v1')).toBe(
      `no connection to https://pets.example through the proxy ${proxy.url} within 0.3 s`
    )
  })
})
