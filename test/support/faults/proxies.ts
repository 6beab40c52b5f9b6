import type { Socket } from 'node:net'
import type { FaultKind } from '../../../src/client/transport-fault.ts'
import { rawServer, refusingAddress } from '../raw-server.ts'
import { resolver } from './connecting.ts'
import { endsWith, type Fault, writes } from './fault.ts'

/**
 * Loopback is never proxied. The host does not exist, and need not: the proxy resolves its name.
 */
const behind = (proxy: string) => ({
  PETSTORE_BASE_URL: 'https://pets.example/v1',
  HTTPS_PROXY: proxy
})

/** Plain http: the proxy reads the request and forwards it. */
const forwardedBy = (proxy: string) => ({
  PETSTORE_BASE_URL: 'http://pets.example/v1',
  PETSTORE_ALLOW_HTTP: '1',
  HTTP_PROXY: proxy
})

/** Faults at a proxy. The counted requests are those to the proxy; the service never gets one. */
export const proxyFaults: readonly Fault[] = [
  atProxy(
    'proxy-refuses',
    'the proxy refuses',
    'proxy',
    endsWith('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
  ),
  atProxy(
    'proxy-finds-no-service',
    'the proxy cannot reach the service',
    'proxy',
    endsWith('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  ),
  atProxy(
    'proxy-login',
    'the proxy requires a login',
    'proxy-login',
    endsWith(
      'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n'
    )
  ),
  atProxy('proxy-stalls', 'the proxy accepts the request, then stays silent', 'timeout', () => {}),
  atProxy(
    'proxy-stalls-in-tls',
    'the proxy connects, then stays silent',
    'timeout',
    writes('HTTP/1.1 200 OK\r\n\r\n')
  ),
  atProxy('proxy-resets', 'the proxy resets the connection', 'reset', socket =>
    socket.resetAndDestroy()
  ),
  atProxy('proxy-closes', 'the proxy closes the connection', 'reset', socket => socket.end()),
  atProxy(
    'proxy-is-none',
    'the proxy speaks another protocol',
    'not-http',
    endsWith('SSH-2.0-x\r\n')
  ),
  {
    ...atProxy('proxy-refused', 'the proxy refuses the connection', 'refused', () => {}),
    list: [6, 0],
    add: [6, 0],
    open: async () => ({ env: behind(await refusingAddress()), requests: () => 0 })
  },
  {
    ...atProxy('proxy-unknown', 'the name of the proxy does not exist', 'dns', () => {}),
    list: [6, 0],
    add: [6, 0],
    open: async () => ({
      env: { ...behind('http://proxy.example:8080'), PETSTORE_TEST_LOOKUP: 'ENOTFOUND' },
      requests: () => 0,
      nodeArguments: ['--require', resolver]
    })
  },
  forwarded(
    'forward-login',
    'the proxy for plain http requires a login',
    '407 Proxy Authentication Required',
    {
      result: { problem: 'proxy-login', isStarted: false },
      list: [6, 1],
      add: [6, 1]
    }
  ),
  forwarded(
    'forward-403',
    'the proxy for plain http replies 403, or forwards it',
    '403 Forbidden',
    {
      result: { isStarted: true, status: 403 },
      list: [4, 1],
      add: [4, 1]
    }
  ),
  {
    ...forwarded('forward-refused', 'the proxy for plain http refuses the connection', '', {
      result: { problem: 'refused', isStarted: false },
      list: [6, 0],
      add: [6, 0]
    }),
    open: async () => ({ env: forwardedBy(await refusingAddress()), requests: () => 0 })
  },
  unreadable('proxy-without-scheme', 'the variable has no http://', 'proxy.example:8080'),
  unreadable('proxy-unreadable', 'the variable is not a valid URL', 'http://me:secret@'),
  unreadable('proxy-socks', 'the variable names a SOCKS proxy', 'socks5://proxy.example:1080')
]

function atProxy(
  name: string,
  what: string,
  fault: FaultKind,
  answer: (socket: Socket) => void
): Fault {
  const tries = fault === 'timeout' || fault === 'reset' ? 2 : 1
  return {
    name,
    what,
    result: { problem: fault, isStarted: false },
    list: [6, tries],
    add: [6, tries],
    needsDeadline: fault === 'timeout',
    open: async () => {
      const proxy = await rawServer(answer)
      return { env: behind(proxy.url), requests: proxy.requests }
    }
  }
}

/**
 * A fault at the proxy for plain http: the status line and headers of its reply, and the expected
 * result.
 */
function forwarded(
  name: string,
  what: string,
  reply: string,
  meaning: Pick<Fault, 'result' | 'list' | 'add'>
): Fault {
  return {
    name,
    what,
    ...meaning,
    open: async () => {
      const proxy = await rawServer(endsWith(`HTTP/1.1 ${reply}\r\ncontent-length: 0\r\n\r\n`))
      return { env: forwardedBy(proxy.url), requests: proxy.requests }
    }
  }
}

function unreadable(name: string, what: string, value: string): Fault {
  return {
    name,
    what,
    list: [9, 0],
    add: [9, 0],
    open: async () => ({ env: behind(value), requests: () => 0 })
  }
}
