/**
 * Measures how fast the program starts and lists pets, compared with an empty script and with a script that only sends
 * the request. It runs the packed and installed program, also with refused compiled code and for the first time. All
 * runs are interleaved, so that other load on the machine slows down all of them. Each round gives a ratio, whose median
 * counts: some machines switch between a fast and a slow mode within a minute.
 *
 *     npm run bench -- [--rounds N] [--node PATH]…
 *     npm run bench -- --standalone [--rounds N]
 *
 * With `--standalone` it compares `dist/standalone/petstore` with the package. Run it with the Node that is inside.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync
} from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { binOf, copyInstalled, installPacked } from './installed.js'
import { startServer } from './servers.js'
import { median, printTable, quantile } from './statistics.js'

/**
 * @typedef {object} Run
 * @property {string} name
 * @property {readonly [command: string, ...rest: string[]]} argv
 * @property {NodeJS.ProcessEnv} env
 * @property {() => void} [before] is not measured
 *
 * @typedef {object} Limit
 * @property {string} of
 * @property {string} to
 * @property {number} limit
 * @property {number} [firstLimit] of the first run
 * @property {number} [aim]
 */

/** @type {readonly Limit[]} */
const commandLimits = [
  { of: '--version', to: 'bare Node', limit: 1.15, aim: 1.1 },
  { of: '--help', to: 'bare Node', limit: 1.35 },
  { of: 'pets list', to: 'raw GET', limit: 1.6, aim: 1.4 },
  { of: 'pets list, saved key', to: 'raw GET', limit: 1.65 },
  // The first run creates the database.
  { of: 'pets list --env local', to: 'raw GET', limit: 1.65, firstLimit: 1.75 }
]

const firstRun = 'first run of '
const refused = 'code refused: '

/** @type {readonly (Omit<Limit, 'limit'> & { limit: number | string })[]} */
const limits = [
  ...commandLimits,
  ...commandLimits.map(({ of, to, limit, firstLimit = limit }) => ({
    of: firstRun + of,
    to,
    limit: firstLimit
  })),
  ...commandLimits.map(({ of, to }) => ({ of: refused + of, to, limit: '' })),
  { of: '--version', to: 'gh --version', limit: 0.85 }
]

const standalone = 'standalone: '

/** @type {typeof limits} */
const standaloneLimits = [
  { of: `${standalone}--version`, to: '--version', limit: 1 },
  { of: `${standalone}pets list`, to: 'pets list', limit: 1 },
  { of: `${standalone}pets list`, to: 'raw GET', limit: '', aim: 1.2 }
]

/**
 * V8 refuses code that was compiled with other options. The first option is enough for Node 20 and
 * 22.
 */
const refusingOptions = '--max-old-space-size=512 --stack-trace-limit=12'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    node: { type: 'string', multiple: true, default: [] },
    standalone: { type: 'boolean', default: false }
  }
})
const rounds = Number(options.rounds)
const built = fileURLToPath(new URL('../dist/standalone/petstore', import.meta.url))
if (options.standalone && !existsSync(built))
  throw new Error("build it first: 'npm run standalone'")
const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
// A copy like a user's: the kernel maps more pages of a newly built file at once, up to 25 MB.
const executable = join(directory, 'petstore')
if (options.standalone) copyFileSync(built, executable)
const { child: server, url } = await startServer(['pets-server.js'])

try {
  const nodes = [process.execPath, ...options.node]
  const { home, packedBytes, installedBytes } = installPacked(directory, nodes)
  console.log(
    `${rounds} rounds; ${cpus()[0]?.model}, ${cpus().length} cores, ${process.platform} ${release()}\n`
  )
  printTable(
    ['with compiled code for one Node', 'measured', 'limit'],
    [
      ['packed', megabytes(packedBytes), '1.2 MB'],
      ['installed, without SQLite', megabytes(installedBytes), '4 MB']
    ]
  )
  for (const node of nodes) measure(node, home, `${url}/v1`)
} finally {
  server.kill()
  rmSync(directory, { recursive: true })
}

/**
 * @param {string} node
 * @param {string} program
 * @param {string} baseUrl
 */
function measure(node, program, baseUrl) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  console.log(`\nNode ${version}\n`)
  const runs = [...runsOf(node, program, baseUrl, join(directory, version)), ...peers()]

  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(runs.map(({ name }) => [name, []]))
  // The first rounds fill the system's caches.
  for (let round = -2; round < rounds; round += 1) {
    for (const run of runs) {
      const time = timeOf(run)
      if (round >= 0) times[run.name]?.push(time)
    }
  }
  const milliseconds = (/** @type {readonly number[]} */ all, /** @type {number} */ share) =>
    quantile(all, share).toFixed(1)
  const rows = Object.entries(times).map(([name, all]) => [
    name,
    milliseconds(all, 0.5),
    `${milliseconds(all, 0.25)} to ${milliseconds(all, 0.75)}`
  ])
  printTable(['', 'median ms', 'middle half'], rows)

  const ratios = (options.standalone ? standaloneLimits : limits).map(
    ({ of, to, limit, aim = '' }) => {
      const [one, other] = [times[of], times[to]]
      const ratios = one && other && one.map((time, round) => time / (other[round] ?? Number.NaN))
      const ratio = ratios === undefined ? 'not installed' : median(ratios).toFixed(2)
      return [`${of} ÷ ${to}`, ratio, limit, aim]
    }
  )
  const [bare, list] = ['bare Node', 'pets list'].map(name =>
    memoryOf(runs.find(run => run.name === name))
  )
  const memory = list === undefined || bare === undefined ? 'unknown' : megabytes(list - bare)
  console.log()
  printTable(
    ['', 'measured', 'limit', 'aim'],
    [
      ...ratios,
      ['peak memory of pets list − bare Node', memory, '30 MB', '20 MB'],
      ...standaloneRows(runs)
    ]
  )
}

/**
 * The size of the executable, and its memory, measured from outside because it takes no Node arguments.
 *
 * @param {readonly Run[]} runs
 */
function standaloneRows(runs) {
  if (!options.standalone) return []
  const { stdout: packed } = spawnSync('xz', ['--stdout', executable], { maxBuffer: 1e9 })
  const memory = ['bare Node', 'pets list', `${standalone}pets list`].map(name => [
    `peak memory of ${name}`,
    megabytes(peakMemoryOf(runs.find(run => run.name === name))),
    '',
    ''
  ])
  return [
    ['size of the executable', megabytes(statSync(executable).size), '', ''],
    ['packed with xz', megabytes(packed.length), '', ''],
    ...memory
  ]
}

/**
 * @param {string} node
 * @param {string} program
 * @param {string} baseUrl
 * @param {string} home
 * @returns {Run[]}
 */
function runsOf(node, program, baseUrl, home) {
  // With NODE_EXTRA_CA_CERTS Node would read certificates at every start.
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' }
  const bin = binOf(program)
  const withVariables = { ...env, PETSTORE_API_KEY: 'bench', PETSTORE_BASE_URL: baseUrl }
  spawnSync(node, [bin, 'auth', 'login', '--no-verify', '--quiet', '--base-url', baseUrl], {
    env,
    input: 'bench\n'
  })

  /** @type {(bin: string, local: NodeJS.ProcessEnv) => Run[]} */
  const commands = (file, local) => [
    { name: '--version', argv: [node, file, '--version'], env },
    { name: '--help', argv: [node, file, '--help'], env },
    {
      name: 'pets list',
      argv: [node, file, 'pets', 'list', '--quiet'],
      env: { ...withVariables, PETSTORE_CONFIG_DIR: join(home, 'none') }
    },
    { name: 'pets list, saved key', argv: [node, file, 'pets', 'list', '--quiet'], env },
    {
      name: 'pets list --env local',
      argv: [node, file, 'pets', 'list', '--quiet', '--env', 'local'],
      env: local
    }
  ]
  /** @type {Run[]} */
  const bareRuns = [
    { name: 'bare Node', argv: [node, fileOf('bare.cjs')], env },
    { name: 'raw GET', argv: [node, fileOf('raw-get.cjs')], env: withVariables }
  ]
  if (options.standalone) {
    const own = commands(bin, env)
    return [
      ...bareRuns,
      ...own,
      ...own.map(run => ({
        ...run,
        name: standalone + run.name,
        argv: /** @type {Run['argv']} */ ([executable, ...run.argv.slice(2)])
      }))
    ]
  }
  const copy = join(home, 'copy')
  const newConfig = join(home, 'new')
  const renew = () => {
    for (const path of [copy, newConfig]) rmSync(path, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    copyInstalled(program, copy)
  }
  return [
    ...bareRuns,
    ...commands(bin, env),
    ...commands(binOf(copy), { ...env, PETSTORE_CONFIG_DIR: newConfig }).map(run => ({
      ...run,
      name: firstRun + run.name,
      before: renew
    })),
    ...commands(bin, env).map(run => ({
      ...run,
      name: refused + run.name,
      env: { ...run.env, NODE_OPTIONS: refusingOptions }
    }))
  ]
}

/** Similar programs, if they are installed. */
function peers() {
  /** @type {(name: string) => Run} */
  const run = name => ({ name: `${name} --version`, argv: [name, '--version'], env: process.env })
  return ['gh', 'stripe', 'resend', 'heroku', 'restish']
    .filter(name => spawnSync(name, ['--version']).status === 0)
    .map(run)
}

/** @param {Run} run */
function timeOf({ name, argv: [command, ...rest], env, before }) {
  before?.()
  const begin = performance.now()
  const { status, stderr } = spawnSync(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const time = performance.now() - begin
  if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr}`)
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
      env: { ...run.env, BENCH_MEMORY_FILE: file }
    })
    return Number(readFileSync(file, 'utf8'))
  })
  return median(peaks)
}

/**
 * Reads the kernel's value, which only grows, until the process ends. Linux only.
 *
 * @param {Run | undefined} run
 */
function peakMemoryOf(run) {
  if (run === undefined || process.platform !== 'linux') return Number.NaN
  const [command, ...rest] = run.argv
  const peaks = Array.from({ length: 9 }, () => {
    const { pid } = spawn(command, rest, { env: run.env, stdio: 'ignore' })
    for (let peak = 0; ; ) {
      const kilobytes = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      if (kilobytes === undefined) return peak
      peak = Number(kilobytes) * 1024
    }
  })
  return median(peaks)
}

/** @param {string} name */
function fileOf(name) {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`
}
