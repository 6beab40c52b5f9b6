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
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { systemErrorCode } from './system-error.ts'
import { writeAllSync } from './write-all.ts'

const onlyOwnersDirectory = 0o700
const onlyOwnersFile = 0o600

/** Creates a directory that only its owner can access, or narrows an existing one. */
export function makePrivateDirectory(path: string): void {
  makePrivateDirectories(path)
  const { mode } = statSync(path)
  if ((mode & 0o777) === onlyOwnersDirectory) return
  // Taking /tmp from everybody else would do more harm than this program is worth; a fresh mount has its mode, but is empty.
  const isShared = (mode & 0o1000) !== 0 && readdirSync(path).length > 0
  if (isShared || dirname(path) === path) {
    throw new Failure('local', `${path} is everybody's directory: this program needs one of its own`)
  }
  chmodSync(path, onlyOwnersDirectory)
}

/**
 * Creates a directory and missing parents, accessible only to their owner. One by one, because on Linux
 * `mkdirSync(path, { recursive: true })` never returns below /proc.
 */
export function makePrivateDirectories(path: string): void {
  try {
    makeOneDirectory(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    makePrivateDirectories(dirname(path))
    makeOneDirectory(path)
  }
}

function makeOneDirectory(path: string): void {
  try {
    mkdirSync(path, onlyOwnersDirectory)
  } catch (error) {
    // It exists, or another program has created it in the meantime.
    if (systemErrorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
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
    writeAllSync(file, bytes)
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
