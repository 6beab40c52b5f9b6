import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
  unlinkSync
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { systemErrorCode, unlessSystemFails } from './errno.ts'
import { mostLinks, statsOf } from './same-file.ts'
import { pathCommand } from './shell.ts'

/**
 * Refuses a file or directory if its owner, who may be this user, has removed the right to write.
 * The system enforces that too, but not for root, and not if a file is replaced by another. One
 * that does not exist passes.
 */
export function requireWritable(path: string): void {
  const stats = statsOf(path)
  if (
    stats === undefined ||
    (stats.mode & constants.S_IWUSR) !== 0 ||
    ![stats.uid, 0].includes(currentUser())
  )
    return
  throw refused('chmod u+w', path, `is read-only (mode ${octal(stats)})`)
}

/** The same for a file that would be replaced: then it would belong to this user. */
export function requireReplaceable(path: string): void {
  requireWritable(path)
  const stats = statsOf(path)
  if (stats === undefined || stats.uid === currentUser()) return
  throw foreign(path, stats)
}

/**
 * Refuses a file of another user, who could choose what this program does with it. Root's is the
 * system's.
 */
export function requireOwnFile(path: string): void {
  const stats = statsOf(path)
  if (stats === undefined || !isOfAnother(stats)) return
  throw foreign(path, stats, ' and was not opened: run petstore as that user')
}

/** Removes a file, if it is there. `rmSync` of Node 24 does not say why it failed. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}

/** Refuses a file that has other names: what is written to it would appear under all of them. */
export function requireOnlyName(path: string): void {
  const stats = statsOf(path)
  if (stats === undefined || stats.nlink <= 1) return
  throw refused('ls -li', path, 'has a second name (hard link) and was not opened')
}

/**
 * Refuses a path that leads through another user's link: that user could choose which file of this
 * user is written.
 */
export function requireOwnLinks(path: string, linksLeft = mostLinks): void {
  const directory = dirname(path)
  if (directory !== path) requireOwnLinks(directory, linksLeft)
  const stats = unlessSystemFails(() => lstatSync(path))
  if (!stats?.isSymbolicLink() || linksLeft === 0) return
  if (isOfAnother(stats)) throw refused('ls -l', path, `is a link of another user (${stats.uid})`)
  requireOwnLinks(resolve(directory, readlinkSync(path)), linksLeft - 1)
}

const refused = (command: string, path: string, problem: string) =>
  new Failure('local', `${path} ${problem}`, { hint: pathCommand(command, path) })

const foreign = (path: string, { uid }: Stats, rest = '') =>
  refused('ls -l', path, `belongs to another user (${uid})${rest}`)

/** Why other users can change a file or a directory, or read a file; undefined if they cannot. */
export function exposureOf(path: string): Failure | undefined {
  const stats = statsOf(path)
  if (stats === undefined) return undefined
  if (isOfAnother(stats)) return foreign(path, stats)
  const isFile = stats.isFile()
  const others = isFile ? 0o066 : 0o022
  if ((stats.mode & others) === 0) return undefined
  const problem = `can be ${isFile ? 'read or ' : ''}changed by other users (mode ${octal(stats)})`
  return refused(isFile ? 'chmod 600' : 'chmod go-w', path, problem)
}

/**
 * The bytes of a regular file; undefined if the path is something else, such as a device, a
 * directory or a pipe.
 */
export function readRegularFile(path: string): Buffer | undefined {
  return withFile(path, file => {
    const isRegular = fstatSync(file).isFile()
    return isRegular ? readFileSync(file) : undefined
  })
}

/** The first bytes of a regular file; undefined if there is none, or this user may not read it. */
export function startOfFile(path: string, length: number): Buffer | undefined {
  if (!statsOf(path)?.isFile()) return undefined
  return unlessSystemFails(() => withFile(path, file => bytesOf(file, length)))
}

/** Some bytes of an open file, which may have fewer. */
export function bytesOf(file: number, length: number, position = 0): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, position))
}

/**
 * Opens a file or a directory for the time of some work; `access` says whether to write to it too.
 */
export function withFile<Value>(
  path: string,
  work: (file: number) => Value,
  access = constants.O_RDONLY
): Value {
  // Non-blocking, so that opening a pipe does not wait for a writer.
  const file = openSync(path, access | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** Files of root count as the system's, not as another user's. */
const isOfAnother = ({ uid }: Stats) => ![currentUser(), 0].includes(uid)

/** Systems without user ids have one user. */
function currentUser(): number {
  return process.geteuid?.() ?? 0
}

const octal = ({ mode }: Stats) => (mode & 0o7777).toString(8).padStart(4, '0')
