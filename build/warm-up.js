/**
 * `node build/warm-up.js DIRECTORY`: runs the most common commands of the program in this directory
 * in one process, then writes V8's compiled code to the place where the launcher expects it.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire, isBuiltin } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

const [directory = ''] = process.argv.slice(2)
const bin = join(directory, 'bin', 'petstore.js')
const dist = join(directory, 'dist')
const requireFrom = createRequire(bin)
/** @type {typeof import('../bin/petstore.js')} */
const launcher = requireFrom(bin)

/** @type {Map<string, import('node:vm').Script>} */
const scripts = new Map()
const load = launcher.chunkLoader(dist, name => {
  const script = launcher.scriptOf(dist, name)
  scripts.set(name, script)
  return script.runInThisContext()
})

// Timeouts must not end, because the code that they run would then depend on the speed of the
// machine.
const { setTimeout } = globalThis
const setLongTimeout = (/** @type {() => void} */ callback, time = 0) =>
  setTimeout(callback, time * 1000).unref()
Object.assign(globalThis, { setTimeout: setLongTimeout })
// Otherwise V8 discards the code of functions that were not called for a while.
setFlagsFromString('--no-flush-bytecode')
const server = await startService()
try {
  await runCommonCommands(baseUrlOf(server))
} catch (error) {
  // The program handles uncaught errors and would hide this one.
  console.error(error)
  process.exit(1)
}
server.closeAllConnections()
server.close()
restoreFlags()
writeCompiled()
checkCompiled()

/** @param {string} baseUrl */
async function runCommonCommands(baseUrl) {
  await run(['--version'])
  await run(['--help'])
  await run(['pets', '--help'])
  // Before any connection, because one that waits for this would be closed.
  logIn(baseUrl)
  const variables = { PETSTORE_API_KEY: 'warm-up', PETSTORE_BASE_URL: baseUrl }
  await run(['pets', 'list'], variables)
  await run(['pets', 'list', '--output', 'table', '--color', 'always'], variables)
  if (hasSqlite()) await run(['pets', 'list', '--env', 'local'])
  await run(['pets', 'list'])
}

/**
 * @param {string[]} argv
 * @param {Record<string, string>} variables
 */
async function run(argv, variables = {}) {
  Object.assign(process.env, variables)
  const { main, processHost } = load('./main.cjs')
  const code = await main(argv, processHost())
  for (const name of Object.keys(variables)) delete process.env[name]
  if (code !== 0) throw new Error(`'petstore ${argv.join(' ')}' exited with ${code}`)
}

/**
 * Runs in a separate process, because logins are rare and their compiled code would slow down every
 * start.
 *
 * @param {string} baseUrl
 */
function logIn(baseUrl) {
  const argv = ['auth', 'login', '--no-verify', '--base-url', baseUrl]
  const { status, stderr } = spawnSync(process.execPath, [bin, ...argv], {
    input: 'warm-up\n',
    encoding: 'utf8'
  })
  if (status !== 0) throw new Error(`'petstore ${argv.join(' ')}' exited with ${status}\n${stderr}`)
}

/**
 * A server that answers every request with a full list, after which the program also prints a
 * notice.
 */
async function startService() {
  const statuses = ['available', 'pending', 'sold']
  const pets = Array.from({ length: 20 }, (_, index) => ({
    id: index + 1,
    name: 'Rex',
    categoryId: 1,
    status: statuses[index % 3]
  }))
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pets))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // With a command that never ends, the build fails instead of waiting.
  server.unref()
  return server
}

/** @param {import('node:http').Server} server */
function baseUrlOf(server) {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/v1`
}

/** Whether this Node has its own SQLite, or the package that replaces it is installed. */
function hasSqlite() {
  return (
    isBuiltin('node:sqlite') ||
    existsSync(join(directory, 'node_modules', '@photostructure', 'sqlite'))
  )
}

/**
 * V8 refuses code that was compiled with other flags, and the program starts with V8's defaults.
 */
function restoreFlags() {
  setFlagsFromString('--flush-bytecode')
  setFlagsFromString('--hash-seed=0')
  // On Node 20, the program itself changes this flag: see stand-ins/wasm-tiering.js.
  if (Number.parseInt(process.versions.v8, 10) < 12)
    setFlagsFromString('--wasm-tiering-budget=1800000')
}

function writeCompiled() {
  mkdirSync(launcher.compiledDirectory(dist), { recursive: true })
  for (const [name, script] of scripts) {
    const source = readFileSync(join(dist, name), 'latin1')
    writeFileSync(launcher.compiledPath(dist, source), script.createCachedData())
  }
}

/**
 * V8 refuses code silently, and the program would only be slow. The check runs in a new process
 * with V8's defaults.
 */
function checkCompiled() {
  const check = `
    const [bin, dist, ...names] = process.argv.slice(1)
    const refused = names.filter((name) => require(bin).scriptOf(dist, name).cachedDataRejected !== false)
    if (refused.length > 0) throw new Error('V8 refuses the compiled code of ' + refused.join(', '))`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['-e', check, bin, dist, ...scripts.keys()],
    {
      encoding: 'utf8'
    }
  )
  if (status !== 0) throw new Error(stderr)
}
