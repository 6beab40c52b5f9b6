import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** A file that is written after all others. It has the hash of the sources of the build. */
const stampName = 'stamp'

/**
 * Whether a build of these sources was completed.
 *
 * @param {string} directory
 * @param {string} sources their hash
 */
export function isFresh(directory, sources) {
  return contentOf(join(directory, stampName))?.toString() === sources
}

/**
 * The hash of all inputs of the build. It is taken of their content, because the time of a file
 * says little: a clone has the time of the checkout, and an archive one that may be in the future.
 */
export function hashSources() {
  const folders = ['src', 'build', 'bin', 'completions', 'skills']
  const inFolders = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name =>
      join(folder, name)
    )
  )
  const hash = createHash('sha256')
  for (const path of [...inFolders.sort(), 'package.json', 'package-lock.json', 'tsconfig.json']) {
    const content = contentOf(join(root, path))
    if (content !== undefined) hash.update(`${path} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/**
 * The content of a file, unless there is none.
 *
 * @param {string} path
 */
function contentOf(path) {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile()
  return isFile ? readFileSync(path) : undefined
}

/**
 * Replaces the files of a directory one by one, each by rename, so that a program that starts
 * meanwhile finds the old or the new file. The entry is written after the chunks that it loads,
 * and the stamp last.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files
 * @param {string} directory
 * @param {Date} start of the build
 * @param {string} sources their hash
 */
export function writeFiles(files, directory, start, sources) {
  const chunksFirst = [...files].sort(
    ([one], [other]) => Number(one === 'main.cjs') - Number(other === 'main.cjs')
  )
  for (const [name, content] of chunksFirst) replaceFile(join(directory, name), content)
  for (const name of fileNames(directory)) {
    const path = join(directory, name)
    if (!files.has(name) && isOlder(path, start)) rmSync(path, { force: true })
  }
  replaceFile(join(directory, stampName), sources)
}

/**
 * A newer file is of a build that runs at the same time.
 *
 * @param {string} path
 * @param {Date} time
 */
function isOlder(path, time) {
  const entry = statSync(path, { throwIfNoEntry: false })
  return entry !== undefined && entry.mtime < time
}

/**
 * The files of a build.
 *
 * @param {string} directory
 */
export function readFiles(directory) {
  return new Map(fileNames(directory).map(name => [name, readFileSync(join(directory, name))]))
}

/** @param {string} directory */
function fileNames(directory) {
  const files = readdirSync(directory, { withFileTypes: true }).filter(entry => entry.isFile())
  return files.map(({ name }) => name).filter(name => name !== stampName && !name.endsWith('.part'))
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
