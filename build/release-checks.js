/** What must be true of a release before anything is published. Each check throws if it is not. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import launcher from '../bin/petstore.js'
import { newestSection } from './changelog.js'
import { commonName, linksOf } from './pack.js'

/** In bytes. */
export const largest = { size: 2_500_000, unpackedSize: 7_000_000 }

/**
 * @param {string} tag
 * @param {string} version in package.json
 * @param {string} changelog
 */
export function checkTag(tag, version, changelog) {
  if (tag !== `v${version}`)
    throw new Error(`the tag is '${tag}', but package.json has version ${version}`)
  const newest = newestSection(changelog).version
  if (newest !== version)
    throw new Error(`the newest section of the changelog is ${newest}, not ${version}`)
}

/**
 * @param {{ repository?: { url?: string } }} manifest
 * @param {string} repository OWNER/NAME on GitHub
 */
export function checkRepository(manifest, repository) {
  const expected = linksOf(repository).repository.url
  const url = manifest.repository?.url
  if (url !== expected)
    throw new Error(`the package names the repository ${url}, but the workflow's is ${expected}`)
}

/**
 * @param {{ size: number, unpackedSize: number }} packed
 * @param {number} more bytes that the code of other platforms adds
 */
export function checkSizes(packed, more = 0) {
  for (const kind of /** @type {const} */ (['size', 'unpackedSize'])) {
    const size = packed[kind] + more
    if (size > largest[kind])
      throw new Error(`the package is too large: ${kind} ${size}, at most ${largest[kind]}`)
  }
}

/**
 * Compares the compiled code in a package, as the launcher reads it, with what was compiled.
 *
 * @param {string} packed the directory of compiled code in the unpacked package
 * @param {string} original
 * @param {number} count of Nodes and platforms
 */
export function checkCompiled(packed, original, count) {
  const sets = readdirSync(packed)
  if (sets.length !== count)
    throw new Error(`the package has compiled code for ${sets.length} of ${count}: ${sets}`)
  for (const set of sets) {
    const names = readdirSync(join(original, set)).filter(file => file.endsWith('.v8'))
    if (names.length === 0) throw new Error(`nothing is compiled for ${set}`)
    for (const file of names) {
      const name = `${set}/${file}`
      const code = launcher.readCode(join(packed, name), join(packed, commonName(name)))
      if (!code?.equals(readFileSync(join(original, name))))
        throw new Error(`the package has other code in ${name} than was compiled`)
    }
  }
}
