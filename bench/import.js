/**
 * Measures the rows per second of an import with its journal on disk, compared with autocannon,
 * which uses as many connections to the same server, and with an earlier version that is built
 * beside it. Rounds are interleaved, so that other load on the machine slows down all of them; only
 * the ratios of the medians count. Then it measures the memory of imports of a million rows.
 *
 *     npm run bench:import -- [--rounds 5] [--rows 100000] [--seconds 4] [--against COMMIT | none]
 *       [--memory-rows 1000000] [--node PATH]
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../build/bundle.js'
import { connections, key, requestsPerSecond } from './load.js'
import { startServer } from './servers.js'
import { median } from './statistics.js'

/** Version 1.1. */
const earlier = '6444a71b'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    against: { type: 'string', default: earlier },
    'memory-rows': { type: 'string', default: '1000000' },
    node: { type: 'string', default: process.execPath }
  }
})
const rows = Number(options.rows)
const memoryRows = Number(options['memory-rows'])

/** @typedef {{ begin: string, row: (row: number) => string }} Format */
/** @type {Readonly<Record<string, Format>>} */
const formats = {
  ndjson: {
    begin: '',
    row: row => `{"name":"Rex ${row}","categoryId":${row},"status":"available"}\n`
  },
  csv: { begin: 'name,categoryId,status\n', row: row => `Rex ${row},${row},available\n` }
}
const body = JSON.stringify({ name: 'Rex', categoryId: 2, status: 'available' })
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const { child: server, url } = await startServer(['instant-server.js'])

try {
  const file = await writeRows(rows, 'ndjson')
  const programs = { import: root, ...(options.against !== 'none' && { earlier: buildEarlier() }) }
  /** @type {Record<string, number[]>} */
  const rates = { autocannon: [] }
  const load = { seconds: Number(options.seconds) }
  for (let round = 0; round < Number(options.rounds); round += 1) {
    rates.autocannon?.push(
      await requestsPerSecond(`${url}/v1/pets`, { method: 'POST', body }, load)
    )
    for (const [name, program] of Object.entries(programs)) {
      const { seconds } = await importFile(program, file)
      rates[name] = [...(rates[name] ?? []), rows / seconds]
    }
  }
  const ours = median(rates.import ?? [])
  for (const [name, each] of Object.entries(rates)) {
    const ratio = (ours / median(each)).toFixed(2)
    console.log(`${name.padEnd(12)}${Math.round(median(each))} per second; import ÷ it: ${ratio}`)
  }
  for (const extension of Object.keys(formats)) {
    if (memoryRows === 0) continue
    const { peak } = await importFile(root, await writeRows(memoryRows, extension))
    console.log(`peak memory ${peak.toFixed(0)} MB at ${memoryRows} rows of ${extension}`)
  }
} finally {
  server.kill()
  rmSync(directory, { recursive: true })
}

/** From its commit, with its own packages. */
function buildEarlier() {
  const clone = join(directory, 'earlier')
  mkdirSync(clone)
  const archive = execFileSync('git', ['archive', options.against], { cwd: root, maxBuffer: 1e9 })
  execFileSync('tar', ['-x', '-C', clone], { input: archive })
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: clone })
  execFileSync('npm', ['run', 'build'], { cwd: clone })
  return clone
}

/**
 * @param {number} count
 * @param {string} extension
 */
async function writeRows(count, extension) {
  const { begin, row } = /** @type {Format} */ (formats[extension])
  const path = join(directory, `${count}.${extension}`)
  const stream = createWriteStream(path)
  stream.write(begin)
  for (let number = 1; number <= count; number += 1)
    if (!stream.write(row(number))) await once(stream, 'drain')
  stream.end()
  await once(stream, 'close')
  return path
}

/**
 * @param {string} program the directory of the package
 * @param {string} file
 */
async function importFile(program, file) {
  const output = createWriteStream(join(directory, 'results.ndjson'))
  await once(output, 'open')
  const line = [join(program, 'bin/petstore.js'), 'pets', 'import', file, '-o', 'ndjson']
  const config = mkdtempSync(join(directory, 'config-'))
  const env = {
    ...process.env,
    PETSTORE_API_KEY: key,
    PETSTORE_BASE_URL: `${url}/v1`,
    PETSTORE_CONFIG_DIR: config
  }
  const started = performance.now()
  const child = spawn(options.node, [...line, '--concurrency', `${connections}`], {
    env,
    stdio: ['ignore', output, 'ignore']
  })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakSoFar(child.pid))
  }, 50)
  const [code] = await once(child, 'exit')
  const seconds = (performance.now() - started) / 1000
  clearInterval(watch)
  output.close()
  rmSync(config, { recursive: true })
  if (code !== 0) throw new Error(`the import exited with ${code}`)
  return { seconds, peak }
}

/**
 * The peak memory of a process in MB. Linux only.
 *
 * @param {number | undefined} pid
 */
function peakSoFar(pid) {
  try {
    const [, kilobytes] =
      /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) * (1024 / 1e6)
  } catch {
    // It has just ended.
    return 0
  }
}
