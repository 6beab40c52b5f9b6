'use strict'

// What V8 made of the program's files is kept, so that the next run need not compile them again: a third of the time of
// a short command. Node's own compile cache, which Node 20 lacks, wins half of that.
//
// V8 runs whatever it is given, and crashes on what is broken. So a kept file holds the very source that it was made
// from, and all else in it twice; nothing is taken from it where the two, or the source and the program's, differ in a
// single byte. That tells all that a checksum would, in a twentieth of the time that Node takes to load one of its own:
// crypto and zlib are 1.3 ms and more. Whatever is in doubt is compiled as if nothing were kept.

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')

const dist = path.join(__dirname, '..', 'dist')
/** Beyond it a file is data, which takes V8 no time. */
const largestSource = 512 * 1024
/** How many kinds of runs are remembered in a file before it is left as it is. */
const mostDeeds = 32

/**
 * A function that loads a file of the bundle.
 *
 * @param {readonly string[]} argv
 */
function loader(argv) {
  const directory = process.env.PETSTORE_NO_CACHE ? undefined : cacheDirectory()
  if (directory === undefined) return (name) => require(path.join(dist, name))

  // Functions are compiled when they are first called, so what is worth keeping differs from command to command.
  const words = argv.slice(0, 2).filter((word) => /^[a-z-]{1,16}$/.test(word))
  const deed = words.join(' ')
  const noun = words[0]?.startsWith('-') ? undefined : words[0]
  const isTrusted = isOurs(directory)
  const modules = new Map()
  const unkept = []

  const load = (name) => {
    const known = modules.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(name, module)

    const filename = path.join(dist, name)
    const source = fs.readFileSync(filename)
    const file = fileFor(directory, name, noun)
    const kept = isTrusted ? readKept(file, name, source) : undefined
    // The build writes ASCII alone, which is read fastest and takes V8 half the memory.
    const wrapped = `(function (exports, require, module, __filename, __dirname) { ${source.latin1Slice()}\n})`
    const script = new vm.Script(wrapped, { filename, cachedData: kept?.data })
    // One that V8 refuses (the network's chunk has changed a flag of V8's by then) is not written again and again.
    const isLearned = kept?.deeds.includes(deed) || kept?.deeds.length >= mostDeeds
    if (!isLearned && source.length <= largestSource) {
      unkept.push({ file, name, source, script, deeds: [...(kept?.deeds ?? []), deed] })
    }
    const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id))
    script.runInThisContext().call(module.exports, module.exports, requireFrom, module, filename, dist)
    return module.exports
  }

  process.on('exit', (code) => {
    if (code === 0 && unkept.length > 0) keep(directory, unkept)
  })
  return load
}

/** The user's own directory for this, whether it is there already or not; undefined where there can be none. */
function cacheDirectory() {
  const { XDG_CACHE_HOME: shared, HOME: home } = process.env
  const parent = shared || (home && path.join(home, '.cache'))
  return parent && path.isAbsolute(parent) && process.getuid ? path.join(parent, 'petstore') : undefined
}

/** A directory that others can write to, or that is somebody else's, is as good as none. */
function isOurs(directory) {
  try {
    const stats = fs.lstatSync(directory)
    return stats.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o077) === 0
  } catch {
    return false
  }
}

/**
 * One file for each chunk and Node, whatever the chunk's hash: a new version of this program replaces what an old one
 * kept. The chunk that every run begins with has one for each noun, for V8 takes all of a file and not only what
 * the command at hand calls.
 */
function fileFor(directory, name, noun) {
  const chunk = name.replace(/(-.{8})?\.cjs$/, '')
  const kind = chunk === 'main' && noun !== undefined ? `main-${noun}` : chunk
  return path.join(directory, `${kind}-${process.version}-${process.arch}`)
}

/** What has to be the same for kept code to be of use. V8 looks at its own version and flags besides. */
function identityOf(name) {
  const { version, versions, arch, platform, execArgv, env } = process
  return JSON.stringify([name, version, versions.v8, arch, platform, execArgv, env.NODE_OPTIONS])
}

/** The length of the head, the head, what V8 made; the same again; the source. */
function readKept(file, name, source) {
  try {
    const bytes = fs.readFileSync(file)
    const sourceStart = bytes.length - source.length
    const once = bytes.subarray(0, sourceStart / 2)
    if (!once.equals(bytes.subarray(once.length, sourceStart))) return undefined
    if (!source.equals(bytes.subarray(sourceStart))) return undefined
    const headEnd = 4 + once.readUInt32LE(0)
    const { identity, deeds } = JSON.parse(once.toString('utf8', 4, headEnd))
    return identity === identityOf(name) ? { deeds, data: once.subarray(headEnd) } : undefined
  } catch {
    return undefined
  }
}

/** A run that succeeded leaves what it compiled to the next one, if it can. */
function keep(directory, unkept) {
  try {
    for (const place of [path.dirname(directory), directory]) {
      if (!fs.existsSync(place)) fs.mkdirSync(place, 0o700)
    }
    if (!isOurs(directory)) return
    restoreFlags()
    for (const { file, name, source, script, deeds } of unkept) {
      const once = [headOf({ identity: identityOf(name), deeds }), script.createCachedData()]
      replaceFile(file, Buffer.concat([...once, ...once, source]))
    }
  } catch {
    // The next run compiles again.
  }
}

/** With spaces at its end: V8 makes a copy of code that does not begin at a multiple of eight. */
function headOf(facts) {
  const head = Buffer.from(JSON.stringify(facts))
  const whole = Buffer.alloc(Math.ceil((4 + head.length) / 8) * 8, ' ')
  whole.writeUInt32LE(whole.length - 4)
  head.copy(whole, 4)
  return whole
}

/** Kept code carries V8's flags, and Node 20 has one of them changed where there was a request: to what it was. */
function restoreFlags() {
  if (Number.parseInt(process.versions.v8, 10) >= 12) return
  require('node:v8').setFlagsFromString('--wasm-tiering-budget=1800000')
}

function replaceFile(file, bytes) {
  const temporary = `${file}.${process.pid}.part`
  try {
    fs.writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' })
    fs.renameSync(temporary, file)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
}

module.exports = { loader }
