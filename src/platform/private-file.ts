import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { anotherDirectory, errorCode } from './system-error.ts'

const onlyOwnersDirectory = 0o700
const onlyOwnersFile = 0o600

/** Makes a directory that is its owner's alone, or makes an existing one so. */
export function makePrivateDirectory(path: string): void {
  makeDirectory(path)
  const { mode } = statSync(path)
  if ((mode & 0o777) === onlyOwnersDirectory) return
  // Taking /tmp from everybody else would do more harm than this program is worth; a fresh mount has its mode, but is empty.
  const isShared = (mode & 0o1000) !== 0 && readdirSync(path).length > 0
  if (isShared || dirname(path) === path) {
    throw new Failure('local', `${path} is everybody's directory: this program needs one of its own`, {
      hint: anotherDirectory,
    })
  }
  chmodSync(path, onlyOwnersDirectory)
}

/** Step by step, because on Linux a recursive mkdirSync below /proc never returns. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, onlyOwnersDirectory)
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(path).isDirectory()) return
    if (errorCode(error) !== 'ENOENT') throw error
    makeDirectory(dirname(path))
    mkdirIfMissing(path)
  }
}

function mkdirIfMissing(path: string): void {
  try {
    mkdirSync(path, onlyOwnersDirectory)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/**
 * Puts a text in the place of a file, which only its owner can then read: all of it or, after whatever fault, nothing of it.
 * The path is a real one, no symbolic link's.
 */
export function replacePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    writeThrough(temporary, Buffer.from(text))
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncDirectory(dirname(path))
}

/** Removes what killed programs left beside a file, which may hold keys. Only for who holds the file's lock. */
export function sweepAround(path: string): void {
  const directory = dirname(path)
  const name = basename(path)
  for (const neighbour of readdirSync(directory)) {
    if (!neighbour.startsWith(`${name}.`)) continue
    const suffix = neighbour.slice(name.length)
    if (/^\.[0-9a-f]{16}\.tmp$/.test(suffix) || /^\.lock(\.\d+\.[0-9a-f]{16})+$/.test(suffix)) {
      rmSync(join(directory, neighbour), { force: true })
    }
  }
}

function writeThrough(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx', onlyOwnersFile)
  try {
    fchmodSync(file, onlyOwnersFile)
    // A disk that is nearly full takes a part of what it is given, and says so only in the count.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes the new name last through a power cut, where the file system knows how: some refuse, and the rename stands anyway. */
export function syncDirectory(path: string): void {
  let directory: number | undefined
  try {
    directory = openSync(path, 'r')
    fsyncSync(directory)
  } catch {
    return
  } finally {
    if (directory !== undefined) closeSync(directory)
  }
}
