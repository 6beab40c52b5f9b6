import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * An empty file that is written after all others. Its time is the start of the build that wrote
 * them.
 */
const stampName = 'stamp'

/**
 * Whether a build of these files was completed, and started after the last change to the sources.
 *
 * @param {string} directory
 */
export function isFresh(directory) {
  return timeOf(join(directory, stampName)) > lastChange()
}

/** @param {string} path */
const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * The time of the last change to an input of the build. A directory changes when a file in it is
 * added or removed.
 */
function lastChange() {
  const inside = ['src', 'build', 'bin', 'completions', 'skills'].flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  ])
  // A published package has no lockfile, but is never built either.
  const paths = [...inside, 'package.json', 'package-lock.json', 'tsconfig.json'].map((path) =>
    join(root, path),
  )
  return Math.max(...paths.map(timeOf))
}

/**
 * Replaces the files of a directory one by one, each by rename, so that a program that starts meanwhile finds the old
 * or the new file. The entry is written after the chunks that it loads, and the stamp last.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files
 * @param {string} directory
 * @param {Date} start of the build
 */
export function writeFiles(files, directory, start) {
  const chunksFirst = [...files].sort(
    ([one], [other]) => Number(one === 'main.cjs') - Number(other === 'main.cjs'),
  )
  for (const [name, content] of chunksFirst) replaceFile(join(directory, name), content)
  // A newer file is of a build that runs at the same time.
  const isOld = (/** @type {string} */ name) => timeOf(join(directory, name)) < start.getTime()
  const others = fileNames(directory).filter((name) => !files.has(name) && isOld(name))
  for (const name of others) rmSync(join(directory, name), { force: true })
  replaceFile(join(directory, stampName), '', start)
}

/**
 * The files of a build.
 *
 * @param {string} directory
 */
export function readFiles(directory) {
  return new Map(fileNames(directory).map((name) => [name, readFileSync(join(directory, name))]))
}

/** @param {string} directory */
function fileNames(directory) {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map(({ name }) => name)
    .filter((name) => name !== stampName && !name.endsWith('.part'))
}

/**
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {Date} [time]
 */
function replaceFile(path, content, time) {
  const part = `${path}.${process.pid}.part`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(part, content)
  if (time !== undefined) utimesSync(part, time, time)
  renameSync(part, path)
}
