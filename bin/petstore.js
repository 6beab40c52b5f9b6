#!/usr/bin/env node
'use strict'

const fs = require('node:fs')
const vm = require('node:vm')

const commonPlatform = 'linux-x64'

// The header of V8 alone is about this long.
const shortestCode = 32

const damaged = 'ERR_PETSTORE_INSTALLATION'

/**
 * The build's directory for compiled code: V8 accepts such code only in the exact version that
 * produced it.
 *
 * @param {string} dist
 */
function compiledDirectory(dist, platform = `${process.platform}-${process.arch}`) {
  return `${dist}/compiled/${process.versions.v8}-${platform}`
}

/**
 * A chunk begins with a comment that holds its hash, so it never runs compiled code from another
 * build.
 *
 * @param {string} dist
 * @param {string} source
 * @param {string} [platform]
 */
function compiledPath(dist, source, platform) {
  return `${compiledDirectory(dist, platform)}/${source.slice(2, 18)}.v8`
}

/**
 * The compiled code in a file, if there is any. In a published package, that of most platforms is
 * only the bytes that differ from the code for `commonPlatform`.
 *
 * @param {string} path
 * @param {string} commonPath
 */
function readCode(path, commonPath) {
  try {
    const code = fs.existsSync(`${path}.changes`)
      ? withChanges(fs.readFileSync(commonPath), fs.readFileSync(`${path}.changes`))
      : fs.readFileSync(path)
    return code.length < shortestCode ? undefined : code
  } catch {
    // V8 then compiles the chunk itself, as it does if it refuses the data.
    return undefined
  }
}

/**
 * The file of changes begins with their number, because V8 would crash on code that has only some
 * of them. A change has the place in three bytes, and the byte.
 *
 * @param {Buffer} code
 * @param {Uint8Array} file
 */
function withChanges(code, file) {
  const [count, ...changes] = new Uint32Array(new Uint8Array(file).buffer)
  if (count !== changes.length) throw new RangeError('changes are missing')
  for (const change of changes) code[change & 0xffffff] = change >>> 24
  return code
}

/**
 * A chunk of the bundle as a script. With its compiled code, a short command starts in two thirds
 * of the time.
 *
 * @param {string} dist
 * @param {string} name
 */
function scriptOf(dist, name) {
  // A chunk is ASCII, and Node reads this encoding with fewer calls.
  const source = fs.readFileSync(`${dist}/${name}`, 'latin1')
  const cachedData = readCode(
    compiledPath(dist, source),
    compiledPath(dist, source, commonPlatform)
  )
  return new vm.Script(source, { filename: name, cachedData })
}

/**
 * A `require` for the chunks and the WebAssembly of the bundle.
 *
 * @param {string} dist
 * @param {(name: string) => unknown} readChunk the function of a chunk
 * @param {(name: string) => Uint8Array} readWasm
 * @returns {(name: string) => any}
 */
function chunkLoader(
  dist,
  readChunk = name => scriptOf(dist, name).runInThisContext(),
  readWasm = name => fs.readFileSync(`${dist}/${name}`)
) {
  const loaded = new Map()
  /** @param {string} path */
  const load = path => {
    if (!path.startsWith('./')) return require(path)
    const name = path.slice(2)
    if (name.endsWith('.wasm')) return readPart(() => readWasm(name))
    if (loaded.has(name)) return loaded.get(name)
    const chunk = readPart(() => requireFunction(readChunk(name)))
    const exports = {}
    loaded.set(name, exports)
    try {
      chunk(exports, load, `${dist}/${name}`)
    } catch (error) {
      // The next attempt must not get half of the exports.
      loaded.delete(name)
      throw error
    }
    return exports
  }
  return load
}

/** @param {unknown} value */
function requireFunction(value) {
  if (typeof value !== 'function') throw new SyntaxError('the chunk is not a function')
  return value
}

/**
 * @template Part
 * @param {() => Part} read
 */
function readPart(read) {
  try {
    return read()
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause)
    // These have messages of their own.
    if (code === 'ERR_ACCESS_DENIED' || isMissingDescriptor(code)) throw cause
    const problem = `the installation is damaged or was replaced: ${message}`
    throw Object.assign(new Error(problem, { cause }), { code: damaged })
  }
}

/** @param {string | undefined} code */
function isMissingDescriptor(code) {
  return code === 'EMFILE' || code === 'ENFILE'
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
    .catch(error => reportUnloadable(error, argv))
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
 * Reports that a part of the program cannot be loaded: the part that reports errors may be the one.
 *
 * @param {NodeJS.ErrnoException} error
 * @param {string[]} argv
 */
function reportUnloadable(error, argv) {
  if (error.code !== damaged && !isMissingDescriptor(error.code)) throw error
  const message =
    error.code === damaged
      ? error.message
      : `this machine has no file descriptor left (${error.code})`
  const hint = error.code === 'EMFILE' ? 'ulimit -n 1024' : undefined
  const value = { error: { code: 'local', message, exitCode: 9, hint, retryable: false } }
  const text = `error: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`
  fs.writeSync(2, wantsJson(argv) ? `${JSON.stringify(value)}\n` : text)
  return value.error.exitCode
}

/**
 * By the last format on the command line, as for any other error; `--jq` counts as json.
 *
 * @param {string[]} argv
 */
function wantsJson(argv) {
  // Loaded late, because it also loads all of Node's network code.
  const { isatty } = require('node:tty')
  if (isatty(2)) return false
  const formats = argv.join(' ').match(/--(json|jq)\b|(?<=(^| )(-o|--output)[ =]?)\w+/g)
  const last = formats?.at(-1)
  return last === undefined ? !isatty(1) : ['json', 'ndjson', '--json', '--jq'].includes(last)
}

/**
 * process.exit waits for a name lookup, however long. Ending by a signal does not wait, and gives a
 * shell the same exit code; replacing the process by another program does not wait either.
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

module.exports = {
  chunkLoader,
  commonPlatform,
  compiledDirectory,
  compiledPath,
  readCode,
  run,
  scriptOf,
  withChanges
}
