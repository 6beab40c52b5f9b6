import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { startServing } from '../../support/serving.ts'
import { startCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { freePort, startHaproxy, startNginx } from './servers.ts'

const key = 'sk_test_12345678'
async function startService() {
  const argv = ['--empty', '--data', join(temporaryDirectory(), 'pets.db')]
  const service = await startServing(argv, { env: { PETSTORE_API_KEY: key } })
  return { ...service, port: Number(new URL(service.reach.url).port) }
}

const forwarding = (port: number, to: number, more = '') => `
  server { listen 127.0.0.1:${port}; ${more}
    location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://127.0.0.1:${to}; } }`

/** An import of 900 pets, which can run again. */
function importThrough(front: number) {
  const home = temporaryDirectory()
  const file = join(home, 'pets.ndjson')
  const lines = Array.from({ length: 900 }, (_, row) => `{"name":"pet ${row}","categoryId":1}\n`)
  writeFileSync(file, lines.join(''))
  const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `http://127.0.0.1:${front}/v1` }
  const run = () => startCli(['pets', 'import', file, '--concurrency', '8'], { env, home })
  const end = async ({ finished }: ReturnType<typeof run>) => {
    const { code, stderr } = await finished
    const summaries = stderr.split('\n').flatMap(line => (line ? [JSON.parse(line).summary] : []))
    return { code, ...summaries.find(summary => summary !== undefined) }
  }
  return { run, end }
}

/** How many requests the service carried out, of the last 1,000. */
async function carriedOut(service: Awaited<ReturnType<typeof startService>>): Promise<number> {
  const requests = await (await service.fetch('/_local/requests')).json()
  return (requests as { status: number }[]).filter(({ status }) => status === 201).length
}

needs('nginx')('nginx', () => {
  test('ends a connection after ten requests, and an import loses nothing', async () => {
    const [service, front] = [await startService(), await freePort()]
    await startNginx(front, forwarding(front, service.port, 'keepalive_requests 10;'))
    const { run, end } = importThrough(front)
    expect(await end(run())).toMatchObject({ code: 0, added: 900, doubtful: 0 })
    expect(await carriedOut(service)).toBe(900)
  })

  test('is stopped during an import, which goes on when it is back', async () => {
    const [service, front] = [await startService(), await freePort()]
    const nginx = await startNginx(front, forwarding(front, service.port))
    const { run, end } = importThrough(front)
    const first = run()
    await first.printed('stdout', /^(?:.*\n){200}/)
    await nginx.stop()
    const stopped = await end(first)
    expect(stopped.code).toBe(6)
    await startNginx(front, forwarding(front, service.port))
    const { added, skipped, doubtful } = await end(run())
    expect(added + skipped + doubtful).toBe(900)
    expect(doubtful).toBeLessThanOrEqual(16)
    expect(await carriedOut(service)).toBeLessThanOrEqual(900)
  })
})

needs('haproxy')('haproxy', () => {
  test('is reloaded during an import, which loses nothing', async () => {
    const [service, front] = [await startService(), await freePort()]
    const haproxy = await startHaproxy(front, `server one 127.0.0.1:${service.port}`)
    const { run, end } = importThrough(front)
    const running = run()
    for (const rows of [200, 400, 600]) {
      await running.printed('stdout', new RegExp(`^(?:.*\n){${rows}}`))
      haproxy.child.kill('SIGUSR2')
    }
    const { added, doubtful } = await end(running)
    expect(added + doubtful).toBe(900)
    expect(doubtful).toBeLessThanOrEqual(24)
    expect(await carriedOut(service)).toBeLessThanOrEqual(900)
  })
})
