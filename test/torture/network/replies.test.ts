import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { type Case, petsIn, runCase, startService, testCases } from './cases.ts'
import { freePort, startHaproxy, startNginx } from './servers.ts'

/**
 * A server that listens on the port `front`, and forwards requests to the service on the port
 * `back`.
 */
interface Gateway extends Omit<Case, 'name' | 'open'> {
  configure(front: number, back: number): string
}

const bothSucceed = { list: { code: 0 }, add: { code: 0 } }
/** With this seed, the service handles each of the first eight requests but does not reply. */
const stallsAfterWork = ['--fail', '1', '--fail-with', 'stall', '--seed', '756']
const dropsAfterWork = ['--fail', '1', '--fail-with', 'drop', '--seed', '756']

// What each status means is in test/spawned/faults.test.ts. Here is what only a real server shows.
needs('sqlite3', 'nginx')('nginx in front of the service', () => {
  testCases([
    behindNginx('forwards everything', nginx('')),
    behindNginx('closes every connection after the reply', nginx('keepalive_timeout 0;')),
    behindNginx('compresses without a request for it', {
      ...bothSucceed,
      // The first server declares to the second one that the client accepts gzip.
      configure: (front, back) => `
        server {
          listen 127.0.0.1:${front};
          location / { proxy_set_header Accept-Encoding gzip; proxy_http_version 1.1; proxy_pass http://unix:back.sock; }
        }
        server {
          listen unix:back.sock; gzip on; gzip_min_length 0; gzip_proxied any; gzip_types *;
          location / { proxy_pass http://127.0.0.1:${back}; }
        }`
    }),
    behindNginx('sends the reply slowly but in time', nginx('limit_rate 200;')),
    behindNginx('sends the reply too slowly', {
      ...nginx('limit_rate 50;'),
      timeout: 2,
      list: { code: 6, message: /within 2 s/ },
      add: { code: 10, message: /within 2 s/ },
      isAdded: true
    }),
    behindNginx('502, because the service adds the pet and closes the connection', {
      ...nginx(''),
      ...in5xx(502),
      serve: dropsAfterWork,
      isAdded: true
    }),
    behindNginx('504, because the service adds the pet and does not reply', {
      ...nginx('proxy_read_timeout 200ms;'),
      ...in5xx(504),
      serve: stallsAfterWork,
      isAdded: true
    })
  ])

  test('a body beyond the limit of nginx (1 MB)', async () => {
    const service = await startService()
    const [front, file] = [await freePort(), join(temporaryDirectory(), 'pet.json')]
    await startNginx([front], server(front, `proxy_pass http://127.0.0.1:${service.port};`))
    writeFileSync(file, JSON.stringify({ name: 'x'.repeat(2 ** 21), categoryId: 1 }))
    await runCase({
      name: 'a body of 2 MiB',
      argv: ['api', 'POST', '/pets', '--file', file],
      env: { ...service.env, PETSTORE_BASE_URL: `http://127.0.0.1:${front}/v1` },
      expected: { code: 3, message: /\(413\)/ }
    })
    expect(petsIn(service.database).size).toBe(0)
  })

  test('api prints a compressed page decompressed, also with an error status', async () => {
    const service = await startService()
    const front = await freePort()
    await startNginx(
      [front],
      `server {
        listen 127.0.0.1:${front};
        location / { proxy_set_header Accept-Encoding gzip; proxy_http_version 1.1; proxy_pass http://unix:back.sock; }
      }
      server {
        listen unix:back.sock; gzip on; gzip_min_length 0; gzip_proxied any;
        location / { return 404; }
      }`
    )
    const stdout = await runCase({
      name: '404 as a compressed page',
      argv: ['api', 'GET', '/pets', '-i'],
      env: { ...service.env, PETSTORE_BASE_URL: `http://127.0.0.1:${front}/v1` },
      expected: { code: 5, message: /there is no \/pets/ }
    })
    expect(stdout).toMatch(/^HTTP\/1\.1 404\r\n.*<title>404 Not Found<\/title>/s)
  })
})

needs('sqlite3', 'haproxy')('haproxy in front of the service', () => {
  testCases([
    behindHaproxy('forwards everything', haproxy('')),
    ...['gzip', 'deflate', 'raw-deflate'].map(algorithm =>
      behindHaproxy(
        `compresses without a request for it (${algorithm})`,
        haproxy(`http-request set-header Accept-Encoding ${algorithm.replace('raw-', '')}
  compression algo ${algorithm}
  compression type application/json`)
      )
    ),
    behindHaproxy(
      'sends early hints (103) before the reply',
      haproxy('http-request early-hint Link "</v1>; rel=next"')
    ),
    behindHaproxy('502, because the service adds the pet and closes the connection', {
      ...haproxy(''),
      ...in5xx(502),
      // haproxy replies 502 to the first request on a connection, and closes it at the second
      // request.
      list: { code: 6, message: /lost/, repeats: 1 },
      serve: dropsAfterWork,
      isAdded: true
    }),
    behindHaproxy('504, because the service adds the pet and does not reply', {
      ...haproxy('timeout server 200ms'),
      ...in5xx(504),
      serve: stallsAfterWork,
      isAdded: true
    })
  ])
})

function nginx(directives: string): Gateway {
  return {
    ...bothSucceed,
    configure: (front, back) => server(front, `${directives} proxy_pass http://127.0.0.1:${back};`)
  }
}

const server = (front: number, directives: string) =>
  `server { listen 127.0.0.1:${front}; location / { ${directives} } }`

function haproxy(options: string): Gateway {
  return { ...bothSucceed, configure: (front, back) => proxying(front, back, options) }
}

const proxying = (front: number, back: number, options: string) => `
listen pets
  bind 127.0.0.1:${front}
  ${options}
  server pets 127.0.0.1:${back}`

function in5xx(status: number): Pick<Case, 'list' | 'add'> {
  return {
    list: { code: 7, message: new RegExp(`\\(${status}\\)`), repeats: 1 },
    add: { code: 10, message: new RegExp(`\\(${status}\\).*may have been added`) }
  }
}

function behindNginx(name: string, gateway: Gateway): Case {
  return behind(startNginx, `nginx: ${name}`, gateway)
}

function behindHaproxy(name: string, gateway: Gateway): Case {
  return behind(startHaproxy, `haproxy: ${name}`, gateway)
}

function behind(start: typeof startNginx, name: string, { configure, ...rest }: Gateway): Case {
  return {
    name,
    ...rest,
    open: async ({ port }) => {
      const front = await freePort()
      await start([front], configure(front, port))
      return { PETSTORE_BASE_URL: `http://127.0.0.1:${front}/v1` }
    }
  }
}
