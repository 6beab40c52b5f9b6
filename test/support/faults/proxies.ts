import type { Socket } from 'node:net'
import type { FaultKind } from '../../../src/client/fault.ts'
import { rawServer, refusingAddress } from '../raw-server.ts'
import { endsWith, type Fault, says } from './fault.ts'

/** Loopback is never proxied. The host need not exist: the proxy looks its name up. */
const behind = (proxy: string) => ({ PETSTORE_BASE_URL: 'https://pets.example/v1', HTTPS_PROXY: proxy })

/** Faults at a proxy. The counted requests are those to the proxy; the service never gets one. */
export const proxyFaults: readonly Fault[] = [
  atProxy(
    'proxy-refuses',
    'the proxy refuses',
    'proxy',
    endsWith('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'),
  ),
  atProxy(
    'proxy-finds-nobody',
    'the proxy does not reach the service',
    'proxy',
    endsWith('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
  ),
  atProxy(
    'proxy-login',
    'the proxy wants a login',
    'proxy-login',
    endsWith('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n'),
  ),
  atProxy('proxy-stalls', 'the proxy takes the request and is silent', 'timeout', () => {}),
  atProxy(
    'proxy-stalls-in-tls',
    'the proxy connects and then nothing comes',
    'timeout',
    says('HTTP/1.1 200 OK\r\n\r\n'),
  ),
  atProxy('proxy-resets', 'the proxy resets the connection', 'reset', (socket) => socket.resetAndDestroy()),
  atProxy('proxy-closes', 'the proxy closes the connection', 'reset', (socket) => socket.end()),
  atProxy('proxy-is-none', 'what should be a proxy speaks another protocol', 'not-http', endsWith('SSH-2.0-x\r\n')),
  {
    ...atProxy('proxy-refused', 'the proxy is not there', 'refused', () => {}),
    list: [6, 0],
    add: [6, 0],
    open: async () => ({ env: behind(await refusingAddress()), requests: () => 0 }),
  },
  unreadable('proxy-without-scheme', 'the proxy is named without http://', 'proxy.example:8080'),
  unreadable('proxy-unreadable', 'the variable holds no address', 'http://me:secret@'),
  unreadable('proxy-socks', 'the proxy is a SOCKS proxy', 'socks5://proxy.example:1080'),
]

function atProxy(name: string, what: string, fault: FaultKind, answer: (socket: Socket) => void): Fault {
  const tries = fault === 'timeout' || fault === 'reset' ? 2 : 1
  return {
    name,
    what,
    result: { fault, isStarted: false },
    list: [6, tries],
    add: [6, tries],
    needsDeadline: fault === 'timeout',
    open: async () => {
      const proxy = await rawServer(answer)
      return { env: behind(proxy.url), requests: proxy.requests }
    },
  }
}

function unreadable(name: string, what: string, value: string): Fault {
  return { name, what, list: [9, 0], add: [9, 0], open: async () => ({ env: behind(value), requests: () => 0 }) }
}
