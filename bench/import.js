/**
 * Measures the rows per second of an import with its journal on disk, compared with autocannon,
 * which uses as many connections to the same server. Rounds are interleaved, so that other load on
 * the machine slows down both; only the ratio of the medians counts. Then it measures the memory of
 * imports of a million rows: NDJSON, CSV and a JSON array.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connections, key, requestsPerSecond } from './load.js'
import { startServer } from './servers.js'
import { median } from './statistics.js'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const rows = Number(process.env.BENCH_ROWS ?? 100_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const measuresMemory = process.env.BENCH_MEMORY !== '0'
/** @typedef {{ extension: string, begin: string, row: (row: number) => string, between: string, end: string }} Format */
/** @param {number} row */
const json = row => `{"name":"Rex ${row}","categoryId":${row},"status":"available"}`
const ndjson = { extension: 'ndjson', begin: '', row: json, between: '\n', end: '\n' }
/** @type {Format[]} */
const formats = [
  ndjson,
  {
    ...ndjson,
    extension: 'csv',
    begin: 'name,categoryId,status\n',
    row: row => `Rex ${row},${row},available`
  },
  { ...ndjson, extension: 'json', begin: '[', between: ',', end: ']' }
]
const body = JSON.stringify({ name: 'Rex', categoryId: 2, status: 'available' })
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const program = fileURLToPath(new URL('../bin/petstore.js', import.meta.url))

const { child: server, url } = await startServer(['instant-server.js'])
try {
  const file = await writeRows(rows)
  /** @type {{ autocannon: number[], import: number[] }} */
  const rates = { autocannon: [], import: [] }
  for (let round = 0; round < rounds; round += 1) {
    rates.autocannon.push(
      await requestsPerSecond(`${url}/v1/pets`, { method: 'POST', body }, { seconds })
    )
    rates.import.push(rows / (await importFile(url, file)).seconds)
  }
  const [ours, theirs] = [median(rates.import), median(rates.autocannon)]
  console.log(`autocannon  ${Math.round(theirs)} requests per second`)
  console.log(`import      ${Math.round(ours)} rows per second, including the start of the program`)
  console.log(`ratio       ${(ours / theirs).toFixed(2)}`)

  if (measuresMemory) {
    for (const format of formats) {
      const { peak } = await importFile(url, await writeRows(1_000_000, format))
      console.log(`peak memory ${peak.toFixed(0)} MB at 10^6 rows of ${format.extension}`)
    }
  }
} finally {
  server.kill()
  rmSync(directory, { recursive: true })
}

/** @param {number} count @param {Format} format */
async function writeRows(count, { extension, begin, row, between, end } = ndjson) {
  const path = join(directory, `${count}.${extension}`)
  const stream = createWriteStream(path)
  stream.write(begin)
  for (let number = 1; number <= count; number += 1) {
    if (!stream.write(row(number) + (number < count ? between : end))) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
  return path
}

/** @param {string} url @param {string} file */
async function importFile(url, file) {
  const started = performance.now()
  const argv = [
    'pets',
    'import',
    file,
    '--concurrency',
    String(connections),
    '--restart',
    '-o',
    'ndjson'
  ]
  const env = {
    ...process.env,
    PETSTORE_API_KEY: key,
    PETSTORE_BASE_URL: `${url}/v1`,
    PETSTORE_CONFIG_DIR: join(directory, 'config')
  }
  const output = createWriteStream(join(directory, 'events.ndjson'))
  await once(output, 'open')
  const child = spawn(
    process.execPath,
    [...(process.env.BENCH_NODE_ARGS?.split(' ') ?? []), program, ...argv],
    {
      env,
      stdio: ['ignore', output, 'ignore']
    }
  )
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakSoFar(child.pid))
  }, 50)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  output.close()
  if (code !== 0) throw new Error(`the import exited with ${code}`)
  return { seconds: (performance.now() - started) / 1000, peak }
}

/** The peak memory of a process in MB. Linux only. @param {number | undefined} pid */
function peakSoFar(pid) {
  try {
    return (
      Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) *
      (1024 / 1e6)
    )
  } catch {
    return 0
  }
}
