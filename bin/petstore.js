#!/usr/bin/env node
'use strict'

const fs = require('node:fs')
const vm = require('node:vm')

const commonPlatform = 'linux-x64'

/**
 * The build's directory for compiled code: V8 accepts such code only in the exact version that produced it.
 *
 * @param {string} dist
 */
function compiledDirectory(dist, platform = `${process.platform}-${process.arch}`) {
  return `${dist}/compiled/${process.versions.v8}-${platform}`
}

/**
 * A chunk begins with a comment that holds its hash, so it never runs compiled code from another build.
 *
 * @param {string} dist
 * @param {string} source
 * @param {string} [platform]
 */
function compiledPath(dist, source, platform) {
  return `${compiledDirectory(dist, platform)}/${source.slice(2, 18)}.v8`
}

/**
 * The compiled code of a chunk, if there is any. In a published package, that of most platforms is only the bytes that
 * differ from the code for `commonPlatform`.
 *
 * @param {string} dist
 * @param {string} source
 */
function compiledCode(dist, source) {
  const path = compiledPath(dist, source)
  try {
    if (!fs.existsSync(`${path}.changes`)) return fs.readFileSync(path)
    const changes = new Uint32Array(new Uint8Array(fs.readFileSync(`${path}.changes`)).buffer)
    const code = fs.readFileSync(compiledPath(dist, source, commonPlatform))
    // A change has the place in three bytes, and the byte.
    for (const change of changes) code[change & 0xffffff] = change >>> 24
    return code
  } catch {
    // V8 then compiles the chunk itself, as it does if it refuses the data.
    return undefined
  }
}

/**
 * A chunk of the bundle as a script. With its compiled code, a short command starts in two thirds of the time.
 *
 * @param {string} dist
 * @param {string} name
 */
function scriptOf(dist, name) {
  const source = fs.readFileSync(`${dist}/${name}`, 'utf8')
  return new vm.Script(source, { filename: name, cachedData: compiledCode(dist, source) })
}

/**
 * A `require` for the chunks and the WebAssembly in this directory.
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
    if (name.endsWith('.wasm')) return fs.readFileSync(`${dist}/${name}`)
    const exports = loaded.get(name) ?? {}
    if (loaded.has(name)) return exports
    loaded.set(name, exports)
    toScript(dist, name.slice(2)).runInThisContext()(exports, load, `${dist}/${name}`)
    return exports
  }
  return load
}

/**
 * @param {string[]} argv
 * @param {(name: string) => any} load
 */
async function run(argv, load = chunkLoader(`${__dirname}/../dist`)) {
  // Used if the program ends without a result.
  process.exitCode = 1
  const code = await Promise.resolve('./main.cjs')
    .then(load)
    .then(({ main, processHost }) => main(argv, processHost()))
    .catch(reportMissingDescriptor)
  // Output that is still being written, to a pipe for example, must reach its reader before the
  // process ends. After that, ending at once saves the time that Node takes to free its memory.
  process.exitCode = code
  if (process.getActiveResourcesInfo().length === 0) process.exit()
  process.once('beforeExit', () => process.exit())
  // The command is done. Anything still open, such as a read from a terminal, must not keep the
  // process alive.
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
  const [message, hint] = [
    `this machine has no file descriptor left (${error.code})`,
    'ulimit -n 1024',
  ]
  const value = { error: { code: 'local', message, exitCode: 9, hint, retryable: false } }
  // Loaded late, because it also loads all of Node's network code.
  const isForPrograms = ![1, 2].some(require('node:tty').isatty)
  fs.writeSync(
    2,
    isForPrograms ? `${JSON.stringify(value)}\n` : `error: ${message}\nhint: ${hint}\n`,
  )
  return value.error.exitCode
}

/**
 * process.exit waits for a name lookup, however long. Ending by a signal does not wait, and gives a shell the same exit
 * code; replacing the process by another program does not wait either.
 *
 * @param {number} code
 */
function exitDuringLookup(code) {
  if (code === 130) process.kill(process.pid, 'SIGINT')
  if (code === 143) process.kill(process.pid, 'SIGTERM')
  // @ts-expect-error The types are those of Node 20, and execve is in Node 22.15 and later.
  if (fs.existsSync('/bin/sh')) process.execve?.('/bin/sh', ['/bin/sh', '-c', `exit ${code}`], {})
}

if (require.main === module) run(process.argv.slice(2))

module.exports = { chunkLoader, commonPlatform, compiledDirectory, compiledPath, run, scriptOf }
