import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { startServing } from '../../support/serving.ts'
import { spawnCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { freePort, startNginx } from './servers.ts'

const key = 'sk_test_12345678'
const seconds = 12
const concurrency = 8

/** Starts nginx, which lets so many requests a second pass, each some time after the one before. */
async function startLimiter(rate: number, status: number) {
  const service = await startServing(['--empty'], { env: { PETSTORE_API_KEY: key } })
  const port = await freePort()
  await startNginx(
    port,
    `limit_req_zone $binary_remote_addr zone=all:1m rate=${rate}r/s; limit_req_status ${status};
     upstream service { server ${new URL(service.reach.url).host}; keepalive 64; }
     server { listen 127.0.0.1:${port}; location / { limit_req zone=all; proxy_http_version 1.1;
       proxy_set_header Connection ""; proxy_pass http://service; } }`
  )
  return { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` }
}

needs('nginx')('behind a limiter of nginx', () => {
  test.each(
    [20, 50, 100, 250].flatMap(rate => [
      [rate, 429],
      [rate, 503]
    ])
  )('of %d requests a second that answers %d', async (rate, status) => {
    const env = await startLimiter(rate, status)
    const rows = rate * seconds
    const home = temporaryDirectory()
    const file = join(home, 'pets.ndjson')
    const lines = Array.from({ length: rows }, (_, row) => `{"name":"${row}","categoryId":1}\n`)
    writeFileSync(file, lines.join(''))
    const begun = performance.now()
    const argv = ['pets', 'import', file, '--concurrency', String(concurrency)]
    const { stderr } = await spawnCli(argv, { env, home })
    const share = (1000 * rows) / (performance.now() - begun) / rate
    const summary = stderr.split('\n').find(line => line.includes('"summary"')) ?? ''
    const { added, doubtful } = JSON.parse(summary).summary
    console.log(`${status} at ${rate}: ${share.toFixed(2)} of the rate, ${doubtful} in doubt`)
    expect(added + doubtful).toBe(rows)
    expect(share).toBeGreaterThanOrEqual(0.6)
    expect(share).toBeLessThan(1.1)
    // The first burst may cost as many again.
    const most = status === 429 ? 0 : 2 * concurrency + rows / 100
    expect(doubtful).toBeLessThanOrEqual(most)
  })
})
