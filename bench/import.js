/**
 * Measures imports with their journals on disk. Rounds are interleaved, so that other load on the
 * machine slows down all of them; only the ratios of the medians count.
 *
 *     npm run bench:import -- [--rounds 5] [--rows 100000] [--seconds 4] [--against COMMIT | none]
 *       [--memory-rows 1000000] [--imports 1000] [--only PART,PART] [--node PATH]
 *
 * The parts: `rate` is the rows per second without keys, with keys and with --batch, beside autocannon
 * with as many connections to the same server, and beside an earlier version that is built from its
 * commit. `skip` is a run that finds every row added. `memory` is that of a million rows. `earlier`
 * is an import beside many earlier ones. `four` is four imports at a time, and one after the other.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../build/bundle.js'
import { connections, key, requestsPerSecond } from './load.js'
import { startServer } from './servers.js'
import { median } from './statistics.js'

/** Version 2.0.0. */
const earlierVersion = '8f0048aa'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    against: { type: 'string', default: earlierVersion },
    'memory-rows': { type: 'string', default: '1000000' },
    imports: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'rate,skip,memory,earlier,four' },
    node: { type: 'string', default: process.execPath }
  }
})
const rounds = Number(options.rounds)
const rows = Number(options.rows)

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
/** How many imports there were. */
let imported = 0
const isOlder = options.against !== 'none'

/** @type {Readonly<Record<string, () => Promise<void>>>} */
const parts = { rate, skip, memory, earlier, four }
try {
  for (const part of options.only.split(',')) await parts[part]?.()
} finally {
  server.kill()
  rmSync(directory, { recursive: true })
}

async function rate() {
  const file = await writeRows(rows, 'ndjson')
  const load = { seconds: Number(options.seconds) }
  await compare('rows per second', 'without keys', {
    autocannon: () => requestsPerSecond(`${url}/v1/pets`, { method: 'POST', body }, load),
    'without keys': () => rateOfNew(root, [], file),
    'with keys': () => rateOfNew(root, ['--idempotent'], file),
    'with --batch': () => rateOfNew(root, ['--idempotent'], file, '--batch', 'june'),
    ...(isOlder && { earlier: () => rateOfNew(buildEarlier(), [], file) })
  })
}

async function skip() {
  const file = await writeRows(rows, 'ndjson')
  const programs = { skip: root, ...(isOlder && { earlier: buildEarlier() }) }
  /** @type {Record<string, () => Promise<number>>} */
  const again = {}
  for (const [name, program] of Object.entries(programs)) {
    const home = newHome(program)
    await importFile(program, home, file)
    again[name] = () => rateOf(program, home, file)
  }
  await compare('skipped rows per second', 'skip', again)
}

async function memory() {
  const count = Number(options['memory-rows'])
  for (const extension of Object.keys(formats)) {
    const file = await writeRows(count, extension)
    const { peak } = await importFile(root, newHome(root), file)
    console.log(`peak memory ${peak.toFixed(0)} MB at ${count} rows of ${extension}`)
  }
}

/** What an import of other pets costs beside many earlier ones, and alone. */
async function earlier() {
  const count = Number(options.imports)
  const home = newHome(root)
  for (let number = 1; number <= count; number += 1) {
    const file = await writeRows(1000, 'csv', number * 1000)
    await importFile(root, home, file)
    rmSync(file)
  }
  const seconds = { alone: [0], beside: [0] }
  for (let round = 0; round < rounds; round += 1) {
    const file = await writeRows(1000, 'csv', (count + 1 + round) * 1000)
    seconds.alone[round] = (await importFile(root, newHome(root), file)).seconds
    seconds.beside[round] = (await importFile(root, home, file)).seconds
  }
  const more = median(seconds.beside) - median(seconds.alone)
  console.log(`beside ${count} imports of 1000 rows, an import takes ${more.toFixed(2)} s more`)
}

async function four() {
  const files = await Promise.all(
    [1, 2, 3, 4].map(number => writeRows(rows / 4, 'csv', (number * rows) / 4))
  )
  const inTurn = async (/** @type {string} */ home) => {
    for (const file of files) await importFile(root, home, file)
  }
  const atOnce = async (/** @type {string} */ home) => {
    await Promise.all(files.map(file => importFile(root, home, file)))
  }
  await compare('rows per second', 'at once', {
    'at once': async () => rows / (await secondsOf(() => atOnce(newHome(root)))),
    'in turn': async () => rows / (await secondsOf(() => inTurn(newHome(root))))
  })
}

/**
 * Measures each in turn, several times, and prints the medians.
 *
 * @param {string} unit
 * @param {string} ours the one that the others are compared with
 * @param {Readonly<Record<string, () => Promise<number>>>} measures
 */
async function compare(unit, ours, measures) {
  /** @type {Record<string, number[]>} */
  const found = {}
  for (let round = 0; round < rounds; round += 1)
    for (const [name, measure] of Object.entries(measures))
      found[name] = [...(found[name] ?? []), await measure()]
  for (const [name, each] of Object.entries(found)) {
    const ratio = (median(found[ours] ?? []) / median(each)).toFixed(2)
    console.log(`${name.padEnd(14)}${Math.round(median(each))} ${unit}; '${ours}' ÷ it: ${ratio}`)
  }
}

/** @param {() => Promise<unknown>} work */
async function secondsOf(work) {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

/** From its commit, with its own packages. Built once. */
function buildEarlier() {
  const clone = join(directory, 'earlier')
  if (existsSync(clone)) return clone
  mkdirSync(clone)
  const archive = execFileSync('git', ['archive', options.against], { cwd: root, maxBuffer: 1e9 })
  execFileSync('tar', ['-x', '-C', clone], { input: archive })
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: clone })
  execFileSync('npm', ['run', 'build'], { cwd: clone })
  return clone
}

/**
 * A directory with nothing but an environment for the server.
 *
 * @param {string} program the directory of the package
 * @param {readonly string[]} settings
 */
function newHome(program, ...settings) {
  const home = mkdtempSync(join(directory, 'home-'))
  const argv = ['env', 'set', 'staging', '--base-url', `${url}/v1`, ...settings]
  execFileSync(options.node, [join(program, 'bin/petstore.js'), ...argv], { env: variables(home) })
  return home
}

/** @param {string} home */
function variables(home) {
  return { ...process.env, PETSTORE_API_KEY: key, PETSTORE_CONFIG_DIR: home }
}

/**
 * @param {number} count
 * @param {string} extension
 * @param {number} first
 */
async function writeRows(count, extension, first = 0) {
  const { begin, row } = /** @type {Format} */ (formats[extension])
  const path = join(directory, `${first}-${count}.${extension}`)
  const stream = createWriteStream(path)
  stream.write(begin)
  for (let number = 1; number <= count; number += 1)
    if (!stream.write(row(first + number))) await once(stream, 'drain')
  stream.end()
  await once(stream, 'close')
  return path
}

/**
 * @param {string} program
 * @param {string} home
 * @param {string} file
 * @param {readonly string[]} more
 */
async function rateOf(program, home, file, ...more) {
  const { seconds } = await importFile(program, home, file, ...more)
  return rows / seconds
}

/**
 * The rate where nothing was imported before.
 *
 * @param {string} program
 * @param {readonly string[]} settings
 * @param {string} file
 * @param {readonly string[]} more
 */
async function rateOfNew(program, settings, file, ...more) {
  const home = newHome(program, ...settings)
  const found = await rateOf(program, home, file, ...more)
  rmSync(home, { recursive: true })
  return found
}

/**
 * @param {string} program the directory of the package
 * @param {string} home
 * @param {string} file
 * @param {readonly string[]} more
 */
async function importFile(program, home, file, ...more) {
  const output = createWriteStream(join(directory, `results-${imported}.ndjson`))
  imported += 1
  await once(output, 'open')
  const line = ['pets', 'import', file, '-o', 'ndjson', '--env', 'staging', ...more]
  const argv = [join(program, 'bin/petstore.js'), ...line, '--concurrency', `${connections}`]
  const started = performance.now()
  const child = spawn(options.node, argv, {
    env: variables(home),
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
  rmSync(output.path)
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
