import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCertificates } from '../../support/certificates.ts'
import { needs } from '../../support/needs.ts'
import { startServing } from '../../support/serving.ts'
import { spawnCli, startCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { freePort, proxiedHost, startHaproxy, startNginx, startTinyproxy } from './servers.ts'

const key = 'sk_test_12345678'
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1']

async function startService(...argv: string[]) {
  const options = ['--empty', '--data', join(temporaryDirectory(), 'pets.db'), ...argv]
  const service = await startServing(options, { env: { PETSTORE_API_KEY: key } })
  return { ...service, port: Number(new URL(service.reach.url).port) }
}

const at = (origin: string, env = {}) => ({
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: `${origin}/v1`,
  ...env
})

/** The exit codes of a GET and a POST. */
async function codesWith(env: Record<string, string>) {
  const once = ['--retries', '0', '--timeout', '10']
  const list = await spawnCli(['pets', 'list', ...once], { env })
  const added = await spawnCli([...add, ...once], { env })
  return [list.code, added.code]
}

const forwarding = (port: number, to: number, more = '') => `
  server { listen 127.0.0.1:${port}; ${more}
    location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://127.0.0.1:${to}; } }`

/** An import of new pets, which can run again. */
function importOf(rows: number, env: Record<string, string>) {
  const home = temporaryDirectory()
  const file = join(home, 'pets.ndjson')
  const lines = Array.from({ length: rows }, (_, row) => `{"name":"pet ${row}","categoryId":1}\n`)
  writeFileSync(file, lines.join(''))
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
  test('forwards', async () => {
    const [{ port }, front] = [await startService(), await freePort()]
    await startNginx(front, forwarding(front, port))
    expect(await codesWith(at(`http://127.0.0.1:${front}`))).toEqual([0, 0])
  })

  test('finds no service', async () => {
    const [nowhere, front] = [await freePort(), await freePort()]
    await startNginx(front, forwarding(front, nowhere))
    expect(await codesWith(at(`http://127.0.0.1:${front}`))).toEqual([7, 10])
  })

  test('ends TLS, and may require a client certificate', async () => {
    const [{ port }, front] = [await startService(), await freePort()]
    const { good, authorityPath } = makeCertificates()
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'cert'), good.cert)
    writeFileSync(join(directory, 'key'), good.key)
    const files = `ssl_certificate ${directory}/cert; ssl_certificate_key ${directory}/key;`
    const strict = `ssl_client_certificate ${authorityPath}; ssl_verify_client on;`
    const env = at(`https://127.0.0.1:${front}`, { NODE_EXTRA_CA_CERTS: authorityPath })
    const tls = (more = '') => forwarding(front, port, `${files} ${more}`).replace('; ', ' ssl; ')
    const nginx = await startNginx(front, tls())
    expect(await codesWith(env)).toEqual([0, 0])
    expect(await codesWith({ ...env, NODE_EXTRA_CA_CERTS: '' })).toEqual([6, 6])
    await nginx.stop()
    await startNginx(front, tls(strict))
    expect(await codesWith(env)).toEqual([3, 3])
  })

  test('ends a connection after ten requests, and an import loses nothing', async () => {
    const [service, front] = [await startService(), await freePort()]
    await startNginx(front, forwarding(front, service.port, 'keepalive_requests 10;'))
    const { run, end } = importOf(900, at(`http://127.0.0.1:${front}`))
    expect(await end(run())).toMatchObject({ code: 0, added: 900, doubtful: 0 })
    expect(await carriedOut(service)).toBe(900)
  })

  test('is stopped during an import, which goes on when it is back', async () => {
    const [service, front] = [await startService(), await freePort()]
    const nginx = await startNginx(front, forwarding(front, service.port))
    const { run, end } = importOf(900, at(`http://127.0.0.1:${front}`))
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
  test('has no server left', async () => {
    const [nowhere, front] = [await freePort(), await freePort()]
    await startHaproxy(front, `server one 127.0.0.1:${nowhere}`)
    expect(await codesWith(at(`http://127.0.0.1:${front}`))).toEqual([7, 10])
  })

  test('is reloaded during an import, which loses nothing', async () => {
    const [service, front] = [await startService(), await freePort()]
    const haproxy = await startHaproxy(front, `server one 127.0.0.1:${service.port}`)
    const { run, end } = importOf(900, at(`http://127.0.0.1:${front}`))
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

needs('tinyproxy', 'a mount namespace')('tinyproxy', () => {
  test.each([
    ['forwards plain http', '', [0, 0]],
    ['requires a login', 'BasicAuth me secret', [6, 6]],
    ['denies', 'Deny 127.0.0.1', [4, 4]]
  ])('%s', async (_, rules, codes) => {
    const [{ port }, proxy] = [await startService(), await freePort()]
    await startTinyproxy(proxy, rules)
    const env = { PETSTORE_ALLOW_HTTP: '1', HTTP_PROXY: `http://127.0.0.1:${proxy}` }
    expect(await codesWith(at(`http://${proxiedHost}:${port}`, env))).toEqual(codes)
  })

  test('opens tunnels, and refuses other ports', async () => {
    const [{ port }, front, proxy] = [await startService(), await freePort(), await freePort()]
    const { named, authorityPath } = makeCertificates()
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'cert'), named.cert)
    writeFileSync(join(directory, 'key'), named.key)
    const files = `ssl_certificate ${directory}/cert; ssl_certificate_key ${directory}/key;`
    await startNginx(front, forwarding(front, port, files).replace('; ', ' ssl; '))
    await startTinyproxy(proxy, `ConnectPort ${front}`)
    const env = {
      HTTPS_PROXY: `http://127.0.0.1:${proxy}`,
      NODE_EXTRA_CA_CERTS: authorityPath
    }
    expect(await codesWith(at(`https://${proxiedHost}:${front}`, env))).toEqual([0, 0])
    expect(await codesWith(at(`https://${proxiedHost}:${port}`, env))).toEqual([6, 6])
  })
})
