import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The note that a build leaves beside its files: what it was made from, and what it made.
 *
 * @typedef {{ sources: string, files: Record<string, string> }} Stamp
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const stampName = 'stamp.json'

/** One hash over everything that decides what a build comes out as. */
export function sourcesHash(directory = root) {
  const hash = createHash('sha256')
  for (const folder of ['src', 'build']) {
    for (const name of readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.c?[jt]s$/.test(name)) continue
      hash
        .update(`${folder}/${name}\0`)
        .update(readFileSync(join(directory, folder, name)))
        .update('\0')
    }
  }
  // A published package has no lockfile, and is never built.
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json']) {
    hash
      .update(`${name}\0`)
      .update(readText(join(directory, name)) ?? '')
      .update('\0')
  }
  return hash.digest('hex')
}

/**
 * Whether `dist` is whole and was made from these sources. It looks at every file and not at the stamp alone, so that
 * a build which was killed, or two that ran at once, can leave nothing behind that is taken for good.
 *
 * @param {string} sources
 */
export function isFresh(sources, dist = join(root, 'dist')) {
  const stamp = readStamp(dist)
  if (stamp?.sources !== sources) return false
  return Object.entries(stamp.files).every(([name, hash]) => {
    const text = readText(join(dist, name))
    return text !== undefined && hashOf(text) === hash
  })
}

/**
 * Puts a build in place file by file, each by rename: a program that starts meanwhile finds the old one or the new one.
 * The entry comes after the chunks that it names, the stamp after everything.
 *
 * @param {string} sources
 * @param {ReadonlyMap<string, string>} files
 */
export function writeDist(sources, files, dist = join(root, 'dist')) {
  mkdirSync(dist, { recursive: true })
  const chunksFirst = [...files].sort(([one], [other]) => Number(one === 'main.cjs') - Number(other === 'main.cjs'))
  for (const [name, text] of chunksFirst) replaceFile(join(dist, name), text)
  const hashes = Object.fromEntries(chunksFirst.map(([name, text]) => [name, hashOf(text)]))
  replaceFile(join(dist, stampName), `${JSON.stringify({ sources, files: hashes }, null, 2)}\n`)

  for (const name of readdirSync(dist)) {
    if (!files.has(name) && name !== stampName && !name.endsWith('.part')) rmSync(join(dist, name), { recursive: true })
  }
}

/**
 * @param {string} path
 * @param {string} text
 */
function replaceFile(path, text) {
  const part = `${path}.${process.pid}.part`
  writeFileSync(part, text)
  renameSync(part, path)
}

/**
 * @param {string} dist
 * @returns {Stamp | undefined}
 */
function readStamp(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, stampName), 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} text */
function hashOf(text) {
  return createHash('sha256').update(text).digest('hex')
}
