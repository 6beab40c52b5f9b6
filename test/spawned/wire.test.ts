import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeCertificates } from '../support/certificates.ts'
import { ends, head, writes } from '../support/faults/fault.ts'
import { rawServer } from '../support/raw-server.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'

const list = ['pets', 'list']
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1']
const at = (url: string) => ({
  PETSTORE_API_KEY: 'sk_test_12345678',
  PETSTORE_BASE_URL: `${url}/v1`
})
const behind = (proxy: string) => ({ ...at('https://pets.example'), HTTPS_PROXY: proxy })

const stages = {
  'connecting by TLS': async (arrived: () => void) => {
    const { port } = await rawServer(() => {}, {
      onConnection: () => {
        arrived()
        return 'taken'
      }
    })
    return { env: at(`https://127.0.0.1:${port}`), isStarted: false }
  },
  'asking a proxy': async (arrived: () => void) => {
    const { url } = await rawServer(arrived)
    return { env: behind(url), isStarted: false }
  },
  'in TLS behind a proxy': async (arrived: () => void) => {
    const { url } = await rawServer(socket => {
      writes('HTTP/1.1 200 OK\r\n\r\n')(socket)
      socket.once('data', arrived)
    })
    return { env: behind(url), isStarted: false }
  },
  'waiting for the reply': async (arrived: () => void) => {
    const { url } = await rawServer(arrived)
    return { env: at(url), isStarted: true }
  },
  'waiting to repeat': async (arrived: () => void) => {
    const { url } = await rawServer(socket => {
      ends('HTTP/1.1 429 Busy\r\nretry-after: 50\r\ncontent-length: 0\r\n\r\n')(socket)
      arrived()
    })
    return { env: at(url), isStarted: false }
  }
}

// How the deadline of an attempt ends each of them, is in faults.test.ts.
describe.each(Object.entries(stages))('%s', (name, open) => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143]
  ] as const)('%s ends the command at once with %i', async (signal, code) => {
    const events = new EventEmitter()
    const arrival = once(events, 'arrival')
    const { env, isStarted } = await open(() => events.emit('arrival'))
    const running = startCli(add, { env })
    await arrival
    // What the server sent must arrive first.
    await (name === 'waiting to repeat' ? running.printed('stderr', 'retrying') : delay(100))
    running.child.kill(signal)
    const run = await running.finished
    expect(run).toMatchObject({ code, signal: null, stdout: '' })
    const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '')
    expect(error).toMatchObject({ code: 'interrupted', exitCode: code })
    expect(error.message.includes('may have been carried out')).toBe(isStarted)
  })
})

test('NODE_EXTRA_CA_CERTS adds an authority, for the service and for the proxy', async () => {
  const { good, named, authorityPath } = makeCertificates()
  const heads: string[] = []
  const service = await rawServer(
    (socket, request) => {
      heads.push(request.head)
      socket.end(`${head}content-length: 2\r\n\r\n[]`)
    },
    { tls: named }
  )
  const proxy = await rawServer(
    socket => {
      const tunnel = connect(service.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(tunnel).pipe(socket)
      })
      tunnel.on('error', () => socket.destroy())
    },
    { tls: good }
  )
  const env = behind(proxy.url.replace('://', '://me:p%40ss@'))
  expect((await spawnCli(list, { env })).code).toBe(6)
  const trusting = { ...env, NODE_EXTRA_CA_CERTS: authorityPath }
  const run = await spawnCli(list, { env: trusting })
  expect(run).toMatchObject({ code: 0, stdout: '[]\n' })
  expect(heads).toHaveLength(1)
  expect(heads[0]).toContain('Bearer sk_test_12345678')
  expect(heads[0]).not.toContain('proxy-authorization')
})
