import { fileURLToPath } from 'node:url'

/**
 * A module that a part imports and that costs the start more than it gives this program.
 *
 * @typedef {object} Replacement
 * @property {string} part the package that imports it
 * @property {RegExp} imports the module, as the part writes it
 * @property {'absent' | 'late' | `./${string}`} by nothing: whoever calls it after all gets an error;
 *   a stand-in that loads Node's module at first use; or a file
 * @property {string} why
 */

/** @type {readonly Replacement[]} */
export const replacements = [
  {
    part: 'commander',
    imports: /^node:child_process$/,
    by: 'late',
    why: 'runs subcommands that are programs of their own; there are none here',
  },
  {
    part: 'undici',
    imports: /\/client-h2\.js$/,
    by: 'absent',
    why: 'HTTP/2, which is spoken only with allowH2; loads node:http2, tls and crypto',
  },
  {
    part: 'undici',
    imports: /\/web\/fetch\/body\.js$/,
    by: 'absent',
    why: 'turns forms and iterables into bodies; ours are text and bytes. Brings all of fetch along',
  },
  {
    part: 'undici',
    imports: /^node:http$/,
    by: './stand-ins/http.cjs',
    why: 'for one number and one class; loads all of node:http',
  },
  {
    part: 'undici',
    imports: /^node:assert$/,
    by: './stand-ins/assert.cjs',
    why: 'loads 2 ms for assertions that hold',
  },
  { part: 'conf', imports: /^node:assert$/, by: './stand-ins/assert.cjs', why: 'as for undici' },
  { part: 'conf', imports: /^node:crypto$/, by: 'late', why: 'encrypts, which is not asked of it' },
  { part: 'conf', imports: /^ajv\//, by: 'absent', why: "checks a schema of conf's own, and none is given" },
  { part: 'conf', imports: /^ajv-formats$/, by: 'absent', why: 'goes with ajv' },
  { part: 'conf', imports: /^atomically$/, by: 'absent', why: 'writes the file, which config/store.ts does itself' },
  { part: 'conf', imports: /^debounce-fn$/, by: 'absent', why: 'watches the file, which is not asked of it' },
  { part: 'conf', imports: /^env-paths$/, by: 'absent', why: 'finds a directory, which it is told' },
  { part: 'conf', imports: /^semver$/, by: 'absent', why: 'orders migrations, and there are none' },
]

const mark = '\0lean:'

/** Puts the replacements in place, and fails where a part that is in the bundle no longer imports what is replaced. */
export function lean(wanted = replacements) {
  /** @type {Set<string>} */
  const partsInside = new Set()
  /** @type {Set<Replacement>} */
  const met = new Set()
  return {
    name: 'lean',
    /**
     * @param {string} specifier
     * @param {string | undefined} importer
     */
    resolveId(specifier, importer) {
      const part = importer === undefined ? undefined : packageOf(importer)
      if (part === undefined) return undefined
      partsInside.add(part)
      const replacement = wanted.find((one) => one.part === part && one.imports.test(specifier))
      if (replacement === undefined) return undefined
      met.add(replacement)
      const { by } = replacement
      return by.startsWith('./') ? fileURLToPath(new URL(by, import.meta.url)) : `${mark}${by}:${part}:${specifier}`
    },
    /** @param {string} id */
    load(id) {
      if (!id.startsWith(mark)) return undefined
      const [, how, part, specifier] = /^([a-z]+):([^:]+):(.+)$/.exec(id.slice(mark.length)) ?? []
      return how === 'late'
        ? `module.exports = new Proxy({}, { get: (_, name) => require('${specifier}')[name] })`
        : `module.exports = () => { throw new Error('${specifier} of ${part} was left out of this build') }`
    },
    buildEnd() {
      const unmet = wanted.filter((one) => partsInside.has(one.part) && !met.has(one))
      if (unmet.length === 0) return
      const list = unmet.map(({ part, imports }) => `${part} no longer imports ${imports}`)
      throw new Error(`build/lean.js is out of date: ${list.join(', ')}`)
    },
  }
}

/**
 * The directory of the package that a file belongs to; undefined for files of our own.
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
