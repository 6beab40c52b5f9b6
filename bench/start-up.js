/**
 * How fast the program starts and lists, beside Node doing nothing and Node doing just that: the packed tarball,
 * installed into an empty prefix. Both sides of every ratio run in turn, so that whatever else the machine does hits
 * them alike; a ratio is one of medians.
 *
 *     npm run bench -- [--rounds N] [--node PATH]…
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPacked } from './installed.js'

/**
 * @typedef {object} Run
 * @property {string} name
 * @property {readonly [command: string, ...rest: string[]]} argv
 * @property {NodeJS.ProcessEnv} env
 *
 * @typedef {object} Promised what was promised of a ratio
 * @property {string} of
 * @property {string} to
 * @property {number} must
 * @property {number} aim
 */

/** @type {readonly Promised[]} */
const promised = [
  { of: '--version', to: 'bare Node', must: 1.15, aim: 1.05 },
  { of: '--help', to: 'bare Node', must: 1.25, aim: 1.12 },
  { of: 'pets list', to: 'raw GET', must: 1.75, aim: 1.3 },
  { of: 'pets list, kept key', to: 'raw GET', must: 1.85, aim: 1.4 },
  { of: 'pets list --env local', to: 'raw GET', must: 2.2, aim: 1.6 },
  { of: '--version', to: 'gh --version', must: 0.85, aim: 0.7 },
]

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, node: { type: 'string', multiple: true, default: [] } },
})
const rounds = Number(options.rounds)
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const server = spawn(process.execPath, [fileOf('animals-server.js')], { stdio: ['ignore', 'pipe', 'inherit'] })

try {
  const [port] = await once(server.stdout, 'data')
  const { bin, packedBytes, installedBytes } = installPacked(directory)
  console.log(`${rounds} rounds; ${cpus()[0]?.model}, ${cpus().length} cores, ${process.platform} ${release()}`)
  console.log(`packed ${megabytes(packedBytes)} (must 1.2, aim 0.9)`)
  console.log(`installed without libsql ${megabytes(installedBytes)} (must 4, aim 3)`)
  for (const node of [process.execPath, ...options.node]) measure(node, bin, `http://127.0.0.1:${Number(port)}/v1`)
} finally {
  server.kill()
  rmSync(directory, { recursive: true })
}

/**
 * @param {string} node
 * @param {string} bin
 * @param {string} baseUrl
 */
function measure(node, bin, baseUrl) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  console.log(`\nNode ${version}\n`)
  const runs = [...runsOf(node, bin, baseUrl, join(directory, version)), ...peers()]

  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(runs.map(({ name }) => [name, []]))
  // The first rounds fill caches, the program's own and the system's.
  for (let round = -2; round < rounds; round += 1) {
    for (const run of runs) {
      const time = timeOf(run)
      if (round >= 0) times[run.name]?.push(time)
    }
  }
  const rows = Object.entries(times).map(([name, all]) => [name, ms(all, 0.5), `${ms(all, 0.25)}–${ms(all, 0.75)}`])
  table(['', 'median ms', 'middle half'], rows)

  const ratios = promised.flatMap(({ of, to, must, aim }) => {
    const [one, other] = [times[of], times[to]]
    if (one === undefined || other === undefined) return [[`${of} ÷ ${to}`, 'not here', must, aim]]
    return [[`${of} ÷ ${to}`, (quantile(one, 0.5) / quantile(other, 0.5)).toFixed(2), must, aim]]
  })
  const [bare, list] = ['bare Node', 'pets list'].map((name) => memoryOf(runs.find((run) => run.name === name)))
  const memory = list === undefined || bare === undefined ? 'unknown' : megabytes(list - bare)
  console.log()
  table(
    ['', 'measured', 'must', 'aim'],
    [...ratios, ['peak memory of pets list − bare Node', memory, '30 MB', '20 MB']],
  )
}

/**
 * @param {string} node
 * @param {string} bin
 * @param {string} baseUrl
 * @param {string} home
 * @returns {Run[]}
 */
function runsOf(node, bin, baseUrl, home) {
  // Where NODE_EXTRA_CA_CERTS is set Node reads certificates at every start, which is none of this program's doing.
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' }
  const told = { ...env, PETSTORE_API_KEY: 'bench', PETSTORE_BASE_URL: baseUrl }
  const login = [bin, 'auth', 'login', '--no-verify', '--quiet', '--base-url', baseUrl]
  spawnSync(node, login, { env, input: 'bench\n' })
  return [
    { name: 'bare Node', argv: [node, fileOf('bare.cjs')], env },
    { name: '--version', argv: [node, bin, '--version'], env },
    { name: '--help', argv: [node, bin, '--help'], env },
    { name: 'raw GET', argv: [node, fileOf('raw-get.cjs')], env: told },
    {
      name: 'pets list',
      argv: [node, bin, 'pets', 'list', '--quiet'],
      env: { ...told, PETSTORE_CONFIG_DIR: join(home, 'none') },
    },
    { name: 'pets list, kept key', argv: [node, bin, 'pets', 'list', '--quiet'], env },
    { name: 'pets list --env local', argv: [node, bin, 'pets', 'list', '--quiet', '--env', 'local'], env },
  ]
}

/** Programs of the same kind, where they are installed. */
function peers() {
  /** @type {(name: string) => Run} */
  const run = (name) => ({ name: `${name} --version`, argv: [name, '--version'], env: process.env })
  return ['gh', 'stripe', 'resend', 'heroku', 'restish']
    .filter((name) => spawnSync(name, ['--version']).status === 0)
    .map(run)
}

/** @param {Run} run */
function timeOf({ name, argv: [command, ...rest], env }) {
  const begin = performance.now()
  const { status, stderr } = spawnSync(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const time = performance.now() - begin
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
  return time
}

/** @param {Run | undefined} run */
function memoryOf(run) {
  if (run === undefined) return undefined
  const [node, ...rest] = run.argv
  const file = join(directory, 'memory')
  const peaks = Array.from({ length: 9 }, () => {
    timeOf({
      ...run,
      argv: [node, '--require', fileOf('peak-memory.cjs'), ...rest],
      env: { ...run.env, BENCH_MEMORY_FILE: file },
    })
    return Number(readFileSync(file, 'utf8'))
  })
  return quantile(peaks, 0.5)
}

/** @param {string} name */
function fileOf(name) {
  return fileURLToPath(new URL(name, import.meta.url))
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  return [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
function ms(values, share) {
  return quantile(values, share).toFixed(1)
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`
}

/**
 * @param {readonly string[]} header
 * @param {readonly (readonly (string | number)[])[]} rows
 */
function table(header, rows) {
  const widths = header.map((title, index) => Math.max(title.length, ...rows.map((row) => String(row[index]).length)))
  const line = (/** @type {readonly (string | number)[]} */ cells) =>
    `| ${cells.map((cell, index) => String(cell).padEnd(widths[index] ?? 0)).join(' | ')} |`
  console.log(line(header))
  console.log(`| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`)
  for (const row of rows) console.log(line(row))
}
