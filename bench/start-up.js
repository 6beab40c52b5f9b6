/**
 * Measures how fast the installed program starts, compared with an empty script and with one that
 * only sends the request: in wall time, and in instructions where valgrind is installed. All runs are
 * interleaved, so that other load on the machine slows down all of them; each round gives a ratio,
 * whose median counts. Instructions hardly depend on the load (1 %), so they are counted once.
 *
 *     npm run bench -- [--rounds N] [--node PATH]… [--program DIRECTORY]… [--resend DIRECTORY]
 *       [--executable FILE]
 *
 * `--program` is a package or clone to compare with, such as an earlier version with its `dist`.
 * `--resend` is the package resend-cli, a program of about the same kind, made by others.
 * `--executable` is the one of `npm run standalone`, compared with the last `--node`: the Node inside it.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPacked } from './installed.js'
import { startServer } from './servers.js'
import { median, printTable, quantile } from './statistics.js'

/**
 * @typedef {object} Run
 * @property {string} name
 * @property {readonly string[]} argv
 * @property {NodeJS.ProcessEnv} env
 * @property {boolean} [isInTerminal]
 *
 * @typedef {object} Limit
 * @property {string} of
 * @property {string} to
 * @property {'wall' | 'instructions'} by
 * @property {number} limit
 * @property {Kind} on
 *
 * @typedef {'new Node' | 'old Node' | 'executable'} Kind
 */

/** @type {readonly Limit[]} */
const limits = [
  { of: '--version', to: 'bare Node', by: 'wall', limit: 1.1, on: 'new Node' },
  { of: '--help', to: 'bare Node', by: 'wall', limit: 1.5, on: 'new Node' },
  { of: '--help', to: 'bare Node', by: 'wall', limit: 2.2, on: 'old Node' },
  { of: 'pets list', to: 'bare Node', by: 'wall', limit: 3.2, on: 'old Node' },
  { of: 'table', to: 'bare Node, terminal', by: 'wall', limit: 3.5, on: 'old Node' },
  { of: 'pets list', to: 'raw GET', by: 'instructions', limit: 1.7, on: 'new Node' },
  { of: 'table', to: 'pets list', by: 'instructions', limit: 1.1, on: 'new Node' },
  { of: 'table, 漢字', to: 'pets list', by: 'instructions', limit: 1.8, on: 'new Node' },
  { of: '--jq length', to: 'pets list', by: 'instructions', limit: 3, on: 'new Node' },
  { of: '--version', to: 'bare Node', by: 'wall', limit: 1.1, on: 'executable' },
  { of: '--help', to: 'bare Node', by: 'wall', limit: 1.2, on: 'executable' },
  { of: 'pets list', to: 'raw GET', by: 'wall', limit: 1.4, on: 'executable' }
]

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    node: { type: 'string', multiple: true, default: [] },
    program: { type: 'string', multiple: true, default: [] },
    executable: { type: 'string' },
    resend: { type: 'string' }
  }
})
const rounds = Number(options.rounds)
const hasValgrind = spawnSync('valgrind', ['--version']).status === 0
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const ascii = await startServer(['pets-server.js'])
const other = await startServer(['pets-server.js', '漢字'])

try {
  const programs = [installPacked(directory), ...options.program]
  console.log(
    `${rounds} rounds; ${cpus()[0]?.model}, ${cpus().length} cores, ${process.platform} ${release()}`
  )
  const nodes = [process.execPath, ...options.node]
  for (const program of programs)
    for (const node of nodes) {
      const name = program.startsWith(directory) ? 'petstore' : program
      measure(name, node, [node, join(program, 'bin', 'petstore.js')])
    }
  if (options.executable)
    measure('the executable', nodes.at(-1) ?? '', [resolve(options.executable)])
} finally {
  for (const { child } of [ascii, other]) child.kill()
  rmSync(directory, { recursive: true })
}

/**
 * @param {string} name
 * @param {string} node
 * @param {readonly string[]} petstore the words that start it
 */
function measure(name, node, petstore) {
  const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
  console.log(`\n${name} on Node ${version}\n`)
  const runs = runsOf(node, petstore)
  const wall = repeat(runs, rounds, timeOf)
  const kind = kindOf(Number.parseInt(version, 10), petstore)
  // Under valgrind, a run takes seconds.
  const isCounted = hasValgrind && kind === 'new Node'
  const instructions = isCounted ? repeat(runs, 1, instructionsOf) : {}

  const rows = runs.map(({ name }) => {
    const all = wall[name] ?? []
    const ratios = all.map((time, round) => time / (wall['bare Node']?.[round] ?? Number.NaN))
    const middle = [0.25, 0.75].map(share => quantile(all, share).toFixed(0)).join(' to ')
    const millions = instructions[name] ? (median(instructions[name]) / 1e6).toFixed(0) : ''
    return [name, median(all).toFixed(1), middle, median(ratios).toFixed(2), millions]
  })
  printTable(['', 'median ms', 'middle half', '÷ bare Node', 'M instructions'], rows)

  const ratios = limits
    .filter(({ on }) => on === kind)
    .map(({ of, to, by, limit }) => {
      const times = by === 'wall' ? wall : instructions
      const each = times[of]?.map((time, round) => time / (times[to]?.[round] ?? Number.NaN))
      return [`${of} ÷ ${to}, ${by}`, each ? median(each).toFixed(2) : 'not measured', limit]
    })
  console.log()
  printTable(['', 'measured', 'limit'], ratios)
}

/**
 * @param {number} major
 * @param {readonly string[]} petstore
 * @returns {Kind}
 */
function kindOf(major, petstore) {
  if (petstore.length === 1) return 'executable'
  return major >= 22 ? 'new Node' : 'old Node'
}

/**
 * @param {readonly Run[]} runs
 * @param {number} count
 * @param {(run: Run) => number} work
 */
function repeat(runs, count, work) {
  /** @type {Record<string, number[]>} */
  const results = Object.fromEntries(runs.map(({ name }) => [name, []]))
  for (let round = 0; round < count; round += 1)
    for (const run of runs) results[run.name]?.push(work(run))
  return results
}

/**
 * @param {string} node
 * @param {readonly string[]} petstore
 * @returns {Run[]}
 */
function runsOf(node, petstore) {
  const home = mkdtempSync(join(directory, 'home-'))
  // With NODE_EXTRA_CA_CERTS Node would read certificates at every start.
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' }
  const url = `${ascii.url}/v1`
  const key = { ...env, PETSTORE_API_KEY: 'bench', PETSTORE_BASE_URL: url }
  const [command = '', ...login] = [...petstore, 'auth', 'login', '--no-verify', '--base-url', url]
  mkdirSync(join(home, 'saved'))
  const saved = { ...env, PETSTORE_CONFIG_DIR: join(home, 'saved') }
  execFileSync(command, login, { env: saved, input: 'bench\n', stdio: 'pipe' })
  const list = [...petstore, 'pets', 'list', '--quiet']
  const bare = [node, fileOf('bare.cjs')]
  const runs = [
    { name: 'bare Node', argv: bare, env },
    { name: 'bare Node, terminal', argv: bare, env, isInTerminal: true },
    { name: 'raw GET', argv: [node, fileOf('raw-get.cjs')], env: key },
    { name: '--version', argv: [...petstore, '--version'], env },
    { name: '--help', argv: [...petstore, '--help'], env },
    { name: 'pets list', argv: list, env: key },
    { name: 'pets list, saved key', argv: list, env: saved },
    { name: 'pets list --env local', argv: [...list, '--env', 'local'], env },
    { name: '--jq length', argv: [...list, '--jq', 'length'], env: key },
    { name: 'table', argv: list, env: key, isInTerminal: true },
    {
      name: 'table, 漢字',
      argv: list,
      env: { ...key, PETSTORE_BASE_URL: `${other.url}/v1` },
      isInTerminal: true
    },
    ...peerRuns(node, env)
  ]
  // The first runs fill the caches.
  for (const run of [...runs, ...runs]) timeOf(run)
  return runs
}

/**
 * The same requests by resend-cli, which neither asks for updates nor reports its use meanwhile.
 *
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 * @returns {Run[]}
 */
function peerRuns(node, env) {
  if (options.resend === undefined) return []
  const quiet = { RESEND_TELEMETRY_DISABLED: '1', RESEND_NO_UPDATE_NOTIFIER: '1' }
  const all = { ...env, ...quiet, RESEND_API_KEY: 'bench', RESEND_BASE_URL: ascii.url }
  const resend = [node, join(options.resend, 'dist', 'cli.cjs')]
  return [
    { name: 'resend --version', argv: [...resend, '--version'], env: all },
    { name: 'resend --help', argv: [...resend, '--help'], env: all },
    { name: 'resend domains list', argv: [...resend, 'domains', 'list', '--json'], env: all }
  ]
}

/** @param {Run} run */
function timeOf({ name, argv, env, isInTerminal = false }) {
  const line = isInTerminal ? ['script', '-qec', argv.join(' '), '/dev/null'] : argv
  const [command = '', ...rest] = line
  const begin = performance.now()
  const { status, stderr } = spawnSync(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const time = performance.now() - begin
  if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr}`)
  return time
}

/** @param {Run} run */
function instructionsOf(run) {
  const log = join(directory, 'valgrind')
  const valgrind = ['--tool=callgrind', '--callgrind-out-file=/dev/null', `--log-file=${log}`]
  timeOf({ ...run, argv: ['setarch', '-R', 'valgrind', ...valgrind, ...run.argv] })
  return Number(/Collected : (\d+)/.exec(readFileSync(log, 'utf8'))?.[1])
}

/** @param {string} name */
function fileOf(name) {
  return fileURLToPath(new URL(name, import.meta.url))
}
