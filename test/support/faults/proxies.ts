import { rawServer, refusingAddress } from '../raw-server.ts'
import { type Answer, type End, ends, type Fault } from './fault.ts'

/** Loopback is never proxied. The host does not exist, and need not: the proxy resolves its name. */
const tunneled = { PETSTORE_BASE_URL: 'https://pets.example/v1' }
const forwarded = { PETSTORE_BASE_URL: 'http://pets.example/v1', PETSTORE_ALLOW_HTTP: '1' }

const atProxy = (what: string, end: End, answer: Answer, isForwarded = false): Fault => ({
  what,
  list: end,
  add: end,
  open: async () => {
    const { url, requests } = await rawServer(answer)
    const env = isForwarded ? { ...forwarded, HTTP_PROXY: url } : { ...tunneled, HTTPS_PROXY: url }
    return { env, requests }
  }
})
const naming = (what: string, end: End, url: string | Promise<string>): Fault => ({
  what,
  list: end,
  add: end,
  open: async () => ({ env: { ...tunneled, HTTPS_PROXY: await url }, requests: () => 0 })
})
const reply = (status: string) => ends(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)

/** Faults at a proxy. The counted requests are those to the proxy; the service never gets one. */
export const proxyFaults: readonly Fault[] = [
  atProxy('it refuses', [6, 1], reply('403 Forbidden')),
  atProxy('it requires a login', [6, 1], reply('407 Login')),
  atProxy('it stays silent', [6, 2], () => {}),
  atProxy('it closes each connection', [6, 2], ends('')),
  atProxy('it speaks another protocol', [6, 1], ends('SSH-2.0-x\r\n')),
  naming('it refuses the connection', [6, 0], refusingAddress()),
  atProxy('for plain http, it requires a login', [6, 1], reply('407 Login'), true),
  atProxy('for plain http, it replies 403 or forwards it', [4, 1], reply('403 No'), true),
  naming('the variable has no http://', [9, 0], 'proxy.example:8080'),
  naming('the variable names a SOCKS proxy', [9, 0], 'socks5://proxy.example:1080')
]
