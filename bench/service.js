/**
 * Compares the local service with a bare `node:http` server that only sends the same bytes, and
 * with SQLite alone making the same changes durable. Rounds are interleaved, so that other load on
 * the machine affects all of them; the ratios of the medians count.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { headers, key, requestsPerSecond } from './load.js'
import { startServer } from './servers.js'
import { median } from './statistics.js'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const newPet = JSON.stringify({ name: 'Rex', categoryId: 2, status: 'available' })
const list = { method: /** @type {const} */ ('GET'), path: '/v1/pets?limit=100' }
const shortList = { ...list, path: '/v1/pets?limit=20' }
const add = { method: /** @type {const} */ ('POST'), path: '/v1/pets', body: newPet }

const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
/** @type {import('node:child_process').ChildProcess[]} */
const children = []
try {
  const service = await serve('pets.db')
  await serve('alone.db')
  for (let count = 0; count < 100; count += 1) await send(service, add)
  writeFileSync(join(directory, 'list.json'), await send(service, list))
  writeFileSync(join(directory, 'pet.json'), await send(service, add))
  const bare = await start(['bare-server.js', 'list.json', 'pet.json'])

  /** @type {Record<string, number[]>} */
  const rates = {}
  const record = (/** @type {string} */ name, /** @type {number} */ rate) => {
    rates[name] = [...(rates[name] ?? []), rate]
  }
  for (let round = 0; round < rounds; round += 1) {
    record('GET, bare', await load(bare, list))
    record('GET of 100 pets', await load(service, list))
    record('GET of 20 pets', await load(service, shortList))
    record('POST, bare', await load(bare, add))
    record('POST, service', await load(service, add))
    record('POST, service, one connection', await load(service, add, 1))
    record('commits of SQLite alone', commitsPerSecond())
  }
  report(rates)
} finally {
  for (const child of children) child.kill()
  await Promise.all(children.map(child => child.exitCode ?? once(child, 'exit')))
  rmSync(directory, { recursive: true })
}

/** @param {string} file */
function serve(file) {
  return start([
    '../bin/petstore.js',
    'serve',
    '--port',
    '0',
    '--quiet',
    '--json',
    '--empty',
    '--data',
    file
  ])
}

/** @param {string[]} argv */
async function start(argv) {
  const { child, url } = await startServer(argv, {
    cwd: directory,
    env: { ...process.env, PETSTORE_API_KEY: key }
  })
  children.push(child)
  return url
}

/**
 * @param {string} url
 * @param {typeof list | typeof add} request
 */
async function send(url, { path, ...init }) {
  const reply = await fetch(url + path, { ...init, headers })
  if (!reply.ok) throw new Error(`${init.method} ${path} got status ${reply.status}`)
  return reply.text()
}

/**
 * @param {string} url
 * @param {typeof list | typeof add} request
 * @param {number} [width]
 */
function load(url, { path, ...request }, width) {
  return requestsPerSecond(url + path, request, { seconds, ...(width && { width }) })
}

/**
 * One pet per commit, as durable as the service's own commits, in a file that the service created.
 */
function commitsPerSecond() {
  const database = new DatabaseSync(join(directory, 'alone.db'))
  database.exec('PRAGMA synchronous = FULL')
  const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  const start = performance.now()
  let commits = 0
  while (performance.now() - start < seconds * 1000) {
    insert.run('Rex', 2, 'available')
    commits += 1
  }
  database.close()
  return (commits * 1000) / (performance.now() - start)
}

/** @param {Record<string, number[]>} rates */
function report(rates) {
  const medians = Object.fromEntries(
    Object.entries(rates).map(([name, values]) => [name, median(values)])
  )
  const rate = (/** @type {string} */ name) => medians[name] ?? Number.NaN
  for (const name of Object.keys(medians))
    console.log(`${name.padEnd(30)} ${Math.round(rate(name))} per second`)
  console.log()
  const ratios = [
    ['GET of 100 pets', 'GET, bare'],
    ['POST, service', 'POST, bare'],
    ['POST, service', 'commits of SQLite alone'],
    ['POST, service, one connection', 'commits of SQLite alone']
  ]
  for (const [one = '', other = ''] of ratios) {
    console.log(`${`${one} / ${other}`.padEnd(60)} ${(rate(one) / rate(other)).toFixed(2)}`)
  }
}
