import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A file that the build writes next to its files: the hash of the sources, and the hash of each file.
 *
 * @typedef {{ sources: string, files: Record<string, string> }} Stamp
 */

export const root = fileURLToPath(new URL('..', import.meta.url))
const stampName = 'stamp.json'

/** The hash of all inputs of a build. */
export function sourcesHash(directory = root) {
  const hash = createHash('sha256')
  for (const folder of ['src', 'build', 'bin', 'completions', 'skills']) {
    for (const name of readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.(c?[jt]s|json|txt|md|bash|fish)$|_petstore$/.test(name)) continue
      hash
        .update(`${folder}/${name}\0`)
        .update(readFileSync(join(directory, folder, name)))
        .update('\0')
    }
  }
  // A published package has no lockfile, but is never built either.
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json']) {
    hash
      .update(`${name}\0`)
      .update(readOptional(join(directory, name)) ?? '')
      .update('\0')
  }
  return hash.digest('hex')
}

/**
 * Whether a directory is complete and was made from these sources. It reads every file, not only the stamp: a build may
 * have been killed, and two may have run at once.
 *
 * @param {string} sources
 * @param {string} directory
 */
export function isFresh(sources, directory) {
  const stamp = readStamp(directory)
  if (stamp?.sources !== sources) return false
  return Object.entries(stamp.files).every(([name, hash]) => {
    const content = readOptional(join(directory, name))
    return content !== undefined && hashOf(content) === hash
  })
}

/**
 * Replaces the files of a directory one by one, each by rename, so that a program that starts meanwhile finds the old
 * or the new file. The entry is written after the chunks that it loads, and the stamp last.
 *
 * @param {string} sources
 * @param {ReadonlyMap<string, string | Uint8Array>} files
 * @param {string} directory
 */
export function writeFiles(sources, files, directory) {
  const chunksFirst = [...files].sort(([one], [other]) => Number(one === 'main.cjs') - Number(other === 'main.cjs'))
  for (const [name, content] of chunksFirst) replaceFile(join(directory, name), content)
  const hashes = Object.fromEntries(chunksFirst.map(([name, content]) => [name, hashOf(content)]))
  replaceFile(join(directory, stampName), `${JSON.stringify({ sources, files: hashes }, null, 2)}\n`)

  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const isCurrent = files.has(entry.name) || entry.name === stampName
    if (entry.isFile() && !isCurrent && !entry.name.endsWith('.part')) rmSync(join(directory, entry.name))
  }
}

/**
 * The files that the stamp names.
 *
 * @param {string} directory
 */
export function readFiles(directory) {
  const names = Object.keys(readStamp(directory)?.files ?? {})
  return new Map(names.map((name) => [name, readFileSync(join(directory, name))]))
}

/**
 * Removes the sibling directories that were made from other sources.
 *
 * @param {string} sources
 * @param {string} directory
 */
export function removeOutdated(sources, directory) {
  const parent = dirname(directory)
  for (const name of readdirSync(parent)) {
    if (readStamp(join(parent, name))?.sources !== sources) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/**
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function replaceFile(path, content) {
  const part = `${path}.${process.pid}.part`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(part, content)
  renameSync(part, path)
}

/**
 * @param {string} directory
 * @returns {Stamp | undefined}
 */
function readStamp(directory) {
  try {
    return JSON.parse(readFileSync(join(directory, stampName), 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {string} path */
function readOptional(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** @param {string | Uint8Array} content */
function hashOf(content) {
  return createHash('sha256').update(content).digest('hex')
}
