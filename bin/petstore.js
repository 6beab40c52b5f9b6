#!/usr/bin/env node
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')

const shell = '/bin/sh'

/**
 * Where the build keeps what V8 compiled: V8 accepts it only in the very version that made it.
 *
 * @param {string} dist
 */
function compiledDirectory(dist) {
  const { versions, platform, arch } = process
  return path.join(dist, 'compiled', `${versions.v8}-${platform}-${arch}`)
}

/**
 * A chunk begins with a comment that holds its hash, so it never runs the code of another build.
 *
 * @param {string} dist
 * @param {string} source
 */
function compiledPath(dist, source) {
  return path.join(compiledDirectory(dist), `${source.slice(2, 18)}.v8`)
}

/**
 * A chunk of the bundle as a script. With its compiled code a short command starts in two thirds of the time.
 *
 * @param {string} dist
 * @param {string} name
 */
function scriptOf(dist, name) {
  const source = fs.readFileSync(path.join(dist, name), 'utf8')
  let cachedData
  try {
    cachedData = fs.readFileSync(compiledPath(dist, source))
  } catch {
    // V8 compiles the chunk itself, as it does when it refuses the data.
  }
  return new vm.Script(source, { filename: name, cachedData })
}

/**
 * A `require` for the chunks in this directory.
 *
 * @param {string} dist
 * @param {(dist: string, name: string) => vm.Script} toScript
 * @returns {(name: string) => any}
 */
function chunkLoader(dist, toScript = scriptOf) {
  const loaded = new Map()
  /** @param {string} name */
  const load = (name) => {
    if (!name.startsWith('./')) return require(name)
    const exports = loaded.get(name) ?? {}
    if (loaded.has(name)) return exports
    loaded.set(name, exports)
    toScript(dist, name.slice(2)).runInThisContext()(exports, load, path.join(dist, name))
    return exports
  }
  return load
}

/** @param {string[]} argv */
async function start(argv) {
  const { main, processHost } = chunkLoader(path.join(__dirname, '..', 'dist'))('./main.cjs')
  return main(argv, processHost())
}

/** @param {string[]} argv */
async function run(argv) {
  // Stays if the program ends without a result.
  process.exitCode = 1
  const code = await start(argv).catch(reportMissingDescriptor)
  // Output that is still being written, to a pipe for example, must reach its reader before the process ends. If there
  // is none, ending at once saves the time that Node takes to free its memory.
  process.exitCode = code
  if (process.getActiveResourcesInfo().length === 0) process.exit()
  // The command is done. What is still open, such as a read from a terminal, must not keep the process alive.
  setTimeout(() => {
    if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) exitDuringLookup(code)
    process.exit(code)
  }, 50).unref()
}

/**
 * Without a free file descriptor no more chunks can be loaded, not even those that report errors.
 *
 * @param {NodeJS.ErrnoException} error
 */
function reportMissingDescriptor(error) {
  if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error
  const [message, hint] = [`this machine has no file descriptor left (${error.code})`, 'ulimit -n 1024']
  const value = { error: { code: 'local', message, exitCode: 9, hint, retryable: false } }
  // Loaded late: it brings all of Node's network code along.
  const tty = require('node:tty')
  const isForPrograms = !tty.isatty(1) && !tty.isatty(2)
  fs.writeSync(2, isForPrograms ? `${JSON.stringify(value)}\n` : `error: ${message}\nhint: ${hint}\n`)
  return value.error.exitCode
}

/**
 * process.exit waits for a name lookup, however long. A signal does not, and a shell sees the same exit code; nor does
 * another program in the place of this one.
 *
 * @param {number} code
 */
function exitDuringLookup(code) {
  if (code === 130) process.kill(process.pid, 'SIGINT')
  if (code === 143) process.kill(process.pid, 'SIGTERM')
  // Node 22.15 and later; the types are those of Node 20.
  const { execve } = /** @type {{ execve?: (file: string, argv: string[], env: object) => never }} */ (process)
  if (execve !== undefined && fs.existsSync(shell)) execve.call(process, shell, [shell, '-c', `exit ${code}`], {})
}

if (require.main === module) run(process.argv.slice(2))

module.exports = { chunkLoader, compiledDirectory, compiledPath, scriptOf }
