import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * A module that a library imports although this program does not need it, and that slows down the
 * start noticeably. The gain is the median difference of 200 interleaved runs with and without the
 * replacement.
 *
 * @typedef {object} Replacement
 * @property {string} library the package that imports it
 * @property {RegExp} imports the module, as the library writes it
 * @property {'absent' | 'late' | `./${string}` | readonly string[]} by an error for every use;
 *   Node's own module, loaded at first use; a file; or the values of these exports alone
 * @property {string} why
 * @property {string} gain
 */

/** @type {readonly Replacement[]} */
export const replacements = [
  {
    library: 'commander',
    imports: /^node:child_process$/,
    by: 'late',
    why: 'runs subcommands that are separate programs; there are none',
    gain: '3 ms of --version, which takes 27'
  },
  {
    library: 'undici',
    imports: /\/client-h2\.js$/,
    by: 'absent',
    why: 'speaks HTTP/2, only with allowH2; loads node:http2, tls and crypto',
    gain: '8 to 15 ms of pets list, which takes 50'
  },
  {
    library: 'undici',
    imports: /\/web\/fetch\/body\.js$/,
    by: 'absent',
    why: 'sends forms, with all of fetch; this program sends text',
    gain: 'a third of the code of undici, which each request would have to read'
  },
  {
    library: 'undici',
    imports: /\/llhttp\/constants\.js$/,
    by: ['TYPE', 'ERROR'],
    why: 'computes tables of HTTP, of which the client reads two',
    gain: '4 ms of CPU time of pets list on Node 20, which takes 74'
  },
  {
    library: 'undici',
    imports: /^\.\/(constants|tree)$/,
    by: './stand-ins/header-names.cjs',
    why: 'computes a search tree of header names; one in ten bytes that pets list allocates',
    gain: '0.7 ms of pets list on Node 20'
  },
  {
    library: 'undici',
    imports: /^node:http$/,
    by: './stand-ins/http.cjs',
    why: 'provides one number and one class; loads all of node:http',
    gain: '7 ms of pets list on Node 20, 1 ms on Node 24'
  },
  {
    library: 'undici',
    imports: /^node:assert$/,
    by: './stand-ins/assert.cjs',
    why: 'checks conditions that hold; opens stderr, for the colors of its messages',
    gain: '1.7 ms of pets list on Node 20, nothing on Node 24'
  }
]

const mark = '\0lean:'
const requireFrom = createRequire(import.meta.url)

/**
 * A plugin that replaces these modules. Fails if a library in the bundle no longer imports one of
 * them.
 */
export function lean(wanted = replacements) {
  /** @type {Set<string>} */
  const librariesInside = new Set()
  /** @type {Set<Replacement>} */
  const used = new Set()
  return {
    name: 'lean',
    /**
     * @param {string} specifier
     * @param {string | undefined} importer
     */
    resolveId(specifier, importer) {
      const library = importer === undefined ? undefined : packageOf(importer)
      if (library === undefined) return undefined
      librariesInside.add(library)
      const replacement = wanted.find(one => one.library === library && one.imports.test(specifier))
      if (replacement === undefined) return undefined
      used.add(replacement)
      const { by } = replacement
      if (typeof by !== 'string') {
        // Without the directory, in which `packageDirectoryOf` would find a package.
        const path = createRequire(`${importer}`)
          .resolve(specifier)
          .split(/[\\/]node_modules[\\/]/)
          .at(-1)
        return `${mark}only:${by.join()}:${path}`
      }
      return by.startsWith('./')
        ? fileURLToPath(new URL(by, import.meta.url))
        : `${mark}${by}:${library}:${specifier}`
    },
    /** @param {string} id */
    load(id) {
      if (!id.startsWith(mark)) return undefined
      const [, how, subject = '', specifier = ''] =
        /^([a-z]+):([^:]+):(.+)$/.exec(id.slice(mark.length)) ?? []
      if (how === 'only') {
        const all = requireFrom(specifier)
        const chosen = subject.split(',').map(name => {
          if (all[name] === undefined) throw new Error(`${specifier} no longer exports ${name}`)
          return [name, all[name]]
        })
        return `module.exports = ${JSON.stringify(Object.fromEntries(chosen))}`
      }
      return how === 'late'
        ? `module.exports = new Proxy({}, { get: (_, name) => require('${specifier}')[name] })`
        : `module.exports = () => { throw new Error('${specifier} of ${subject} was left out of this build') }`
    },
    buildEnd() {
      const unused = wanted.filter(one => librariesInside.has(one.library) && !used.has(one))
      if (unused.length === 0) return
      const list = unused.map(({ library, imports }) => `${library} no longer imports ${imports}`)
      throw new Error(`build/lean.js is out of date: ${list.join(', ')}`)
    }
  }
}

/**
 * The directory of the package that a file belongs to; undefined for files of this project.
 *
 * @param {string} path
 */
export function packageDirectoryOf(path) {
  return /^\/?.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0]
}

/** @param {string} path */
function packageOf(path) {
  return packageDirectoryOf(path)
    ?.replace(/^.*[\\/]node_modules[\\/]/, '')
    .replace('\\', '/')
}
