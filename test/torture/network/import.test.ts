import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import type { RunningCli } from '../../support/spawn-cli.ts'
import { createImport, endOfImport, hasFinished, type ImportJob, startImport } from './audit.ts'
import { newDatabase, type Service, startService } from './cases.ts'
import { freePort, proxiedHost, startHaproxy, startNginx, startSquid } from './servers.ts'

function endOf(job: ImportJob, running: RunningCli, { database }: Service) {
  return endOfImport(job, running, database)
}

const basicNginx = (front: number, back: number, directives = '') => `
  upstream pets { server 127.0.0.1:${back}; keepalive 16; }
  server {
    listen 127.0.0.1:${front}; ${directives}
    location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://pets; }
    location = /status { stub_status; }
  }`

const addressed = ({ env }: Service, front: number) => ({
  ...env,
  PETSTORE_BASE_URL: `http://127.0.0.1:${front}/v1`
})

needs('sqlite3', 'nginx')('an import through nginx', () => {
  test('that ends each connection after ten requests', async () => {
    const service = await startService()
    const front = await freePort()
    await startNginx([front], basicNginx(front, service.port, 'keepalive_requests 10;'))
    const job = createImport(2000, { invalidEvery: 100 })
    const run = startImport(job, addressed(service, front))
    const end = await endOf(job, run, service)
    expect(end).toMatchObject({ code: 8, added: 1980, invalid: 20, doubtful: 0, inDatabase: 1980 })
  })

  test('whose service drops one connection in ten, before or after it adds the pet', async () => {
    const service = await startService(['--fail', '0.1', '--fail-with', 'drop', '--seed', '7'])
    const front = await freePort()
    await startNginx([front], basicNginx(front, service.port))
    const job = createImport(600)
    const end = await endOf(job, startImport(job, addressed(service, front)), service)
    expect(end).toMatchObject({ code: 8, finished: 600 })
    // Some of the doubtful rows were added, some were not.
    expect(end.inDatabase).toBeGreaterThan(end.added)
    expect(end.inDatabase).toBeLessThan(600)
  })

  test.each(['SIGTERM', 'SIGQUIT'] as const)(
    'that is stopped with %s and started again',
    async signal => {
      const service = await startService()
      const front = await freePort()
      const configuration = basicNginx(front, service.port)
      const nginx = await startNginx([front], configuration)
      const job = createImport(1000)
      const first = startImport(job, addressed(service, front))
      await hasFinished(first, 300)
      await nginx.stop(signal)
      const stopped = await endOf(job, first, service)
      expect(stopped.code, stopped.message).toBe(6)
      expect(stopped.doubtful).toBeLessThanOrEqual(3 * 8)

      await startNginx([front], configuration)
      const second = await endOf(job, startImport(job, addressed(service, front)), service)
      expect(second.code).toBe(stopped.doubtful === 0 ? 0 : 8)
      expect(second).toMatchObject({ finished: 1000, doubtful: stopped.doubtful })
    }
  )
})

needs('sqlite3', 'haproxy')('an import through haproxy', () => {
  test('that is reloaded five times, and refuses some rows', async () => {
    const service = await startService()
    const front = await freePort()
    const haproxy = await startHaproxy(
      [front],
      `
listen pets
  bind 127.0.0.1:${front}
  option http-buffer-request
  http-request deny deny_status 422 if { req.body -m sub refused }
  server pets 127.0.0.1:${service.port}`
    )
    const job = createImport(1800, { refusedEvery: 100 })
    const run = startImport(job, addressed(service, front))
    for (const finished of [300, 600, 900, 1200, 1500]) {
      await hasFinished(run, finished)
      haproxy.child.kill('SIGUSR2')
    }
    const end = await endOf(job, run, service)
    expect(end).toMatchObject({ code: 8, rejected: 18, finished: 1782 })
    expect(end.doubtful).toBeLessThanOrEqual(5 * 8)
  })

  test('that redispatches when one of two services is killed', async () => {
    const database = newDatabase()
    const [one, other] = [await startService([], database), await startService([], database)]
    const front = await freePort()
    await startHaproxy(
      [front],
      `
listen pets
  bind 127.0.0.1:${front}
  balance roundrobin
  option redispatch 1
  retries 3
  server one 127.0.0.1:${one.port}
  server other 127.0.0.1:${other.port}`
    )
    const job = createImport(1000)
    const run = startImport(job, addressed(one, front))
    await hasFinished(run, 300)
    await one.stop('SIGKILL')
    const end = await endOf(job, run, other)
    expect([0, 8]).toContain(end.code)
    expect(end.finished).toBe(1000)
    // The rows in flight, and those sent before the program noticed.
    expect(end.doubtful).toBeLessThanOrEqual(3 * 8)
  })
})

const throughProxy = ({ env, port }: Service, proxy: number) => ({
  ...env,
  PETSTORE_ALLOW_HTTP: '1',
  PETSTORE_BASE_URL: `http://${proxiedHost}:${port}/v1`,
  http_proxy: `http://127.0.0.1:${proxy}`
})

needs('sqlite3', 'squid')('an import through squid', () => {
  test('that is killed and started again', async () => {
    const service = await startService()
    const proxy = await freePort()
    const squid = await startSquid(proxy)
    const job = createImport(600)
    const first = startImport(job, throughProxy(service, proxy))
    await hasFinished(first, 200)
    await squid.stop('SIGKILL')
    const killed = await endOf(job, first, service)
    expect(killed.code, killed.message).toBe(6)
    expect(killed.doubtful).toBeLessThanOrEqual(3 * 8)
    await startSquid(proxy)
    const last = await endOf(job, startImport(job, throughProxy(service, proxy)), service)
    expect(last).toMatchObject({
      code: killed.doubtful === 0 ? 0 : 8,
      finished: 600,
      doubtful: killed.doubtful
    })
  })
})
