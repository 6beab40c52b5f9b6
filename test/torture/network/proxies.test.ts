import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { recordingServer } from '../../support/recording-server.ts'
import { spawnCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { freePort, startHaproxy, startNginx, startVarnish } from './servers.ts'

/** Each as Debian installs it, but for a patience of one second. A missing one is a failure. */
const proxies: Readonly<Record<string, (front: number, back: number) => Promise<unknown>>> = {
  nginx: (front, back) =>
    startNginx(
      front,
      `upstream pets { server 127.0.0.1:${back}; keepalive 8; }
      server { listen 127.0.0.1:${front}; location / { proxy_pass http://pets;
        proxy_http_version 1.1; proxy_set_header Connection ""; proxy_read_timeout 1s; } }`
    ),
  haproxy: (front, back) => startHaproxy(front, `timeout server 1s\n server one 127.0.0.1:${back}`),
  varnish: (front, back) =>
    startVarnish(front, `.host = "127.0.0.1"; .port = "${back}"; .first_byte_timeout = 1s;`)
}

/** What the service does after it has stored a pet. */
const faults: Readonly<Record<string, (response: ServerResponse, reply: () => void) => void>> = {
  drops: response => void response.destroy(),
  stalls: () => {},
  'is slow': async (_, reply) => {
    await wait(2500)
    reply()
  },
  'closes the connection when it is idle': (response, reply) => {
    response.on('finish', () => void response.socket?.end())
    reply()
  }
}

/**
 * A service behind a proxy that stores each pet and then fails: always, or where there are keys only
 * at the first request with a key. Later ones get the pet, and store nothing.
 */
async function behind(proxy: string, fault: string) {
  const stored: string[] = []
  const replies = new Map<unknown, string>()
  const service = await recordingServer(({ headers, body }, response) => {
    const key = headers['idempotency-key']
    const known = replies.get(key)
    const text = known ?? `{"id":${stored.length + 1},${body.slice(1)}`
    const reply = () => {
      response.writeHead(201, { 'content-type': 'application/json' }).end(text)
    }
    if (known !== undefined) return void reply()
    stored.push(JSON.parse(body).name)
    if (key !== undefined) replies.set(key, text)
    faults[fault]?.(response, reply)
    return undefined
  })
  const front = await freePort()
  await proxies[proxy]?.(front, service.port)
  const home = temporaryDirectory()
  const env = { PETSTORE_ENV: 'staging' }
  const run = (line: string) => spawnCli(line.split(' '), { home, env, input: 'sk_test_12345678' })
  await run(`auth login --no-verify --base-url http://127.0.0.1:${front}/v1`)
  const names = Array.from({ length: 2 }, (_, row) => `pet${row}`)
  const file = join(home, 'pets.csv')
  writeFileSync(file, ['name,categoryId', ...names.map(name => `${name},1`), ''].join('\n'))
  return { run, stored, names, importLine: `pets import ${file} --concurrency 2 -o ndjson` }
}

const add = 'pets add --name Rex --category-id 1'

/** What is lost is in doubt. */
async function withoutKeys(proxy: string, fault: string) {
  const isLost = !fault.startsWith('closes')
  const { run, stored, names, importLine } = await behind(proxy, fault)
  expect((await run(add)).code).toBe(isLost ? 10 : 0)
  expect(stored.splice(0)).toEqual(['Rex'])
  const { code, stdout } = await run(importLine)
  const outcomes = stdout.match(/(?<="outcome":")\w+/g) ?? []
  expect(stored.toSorted()).toEqual(names.slice(0, stored.length))
  expect(outcomes).toEqual(Array(stored.length).fill(isLost ? 'doubtful' : 'added'))
  expect(code).toBe(isLost ? 8 : 0)
}

/** All are added. */
async function withKeys(proxy: string, fault: string) {
  const { run, stored, names, importLine } = await behind(proxy, fault)
  expect((await run(`${add} --idempotency-key rex-1`)).code).toBe(0)
  expect(stored.splice(0)).toEqual(['Rex'])
  expect((await run('env set staging --idempotent')).code).toBe(0)
  expect((await run(importLine)).code).toBe(0)
  expect(stored.toSorted()).toEqual(names)
}

const cases = Object.keys(proxies).flatMap(proxy =>
  Object.keys(faults).map(fault => [proxy, fault] as const)
)

test.each(cases)('behind %s, a service that %s gets each pet once', async (...place) => {
  await Promise.all([withoutKeys(...place), withKeys(...place)])
})
