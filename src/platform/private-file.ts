import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemErrorCode, unlessSystemFails } from './errno.ts'
import { removeFile, withFile } from './file-access.ts'

// The umask may remove rights of what is created, so each mode is then set once more.
const privateDirectory = 0o700
const privateFile = 0o600

/**
 * Creates a directory and missing parents, accessible only to their owner; one that exists keeps
 * its mode. One by one, because on Linux `mkdirSync(path, { recursive: true })` never returns below
 * /proc. The path must be absolute.
 */
export function makePrivateDirectories(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makePrivateDirectories(dirname(path))
  try {
    mkdirSync(path, privateDirectory)
    chmodSync(path, privateDirectory)
    syncDirectory(dirname(path))
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
    // Another program may have created it in the meantime. With the slash, this fails if it is not
    // a directory.
    statSync(`${path}/`)
  }
}

/** Creates an empty file that only its owner can access; one that exists stays as it is. */
export function makePrivateFile(path: string): void {
  try {
    const file = openSync(path, 'wx', privateFile)
    fchmodSync(file, privateFile)
    closeSync(file)
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}

/** The new content of a file, in a temporary file beside it. */
export interface Replacement {
  /** Replaces the file completely or, after any failure, not at all. */
  replace(): void
  /** Removes the new content, unless it has replaced the file. */
  discard(): void
}

/**
 * Replaces a file by one that only its owner can access. The path must not be a link, because the
 * link itself would be replaced. To survive a power cut, the directory has to be synced as well.
 */
export function replacePrivateFile(path: string, text: string): void {
  writeReplacement(path, text).replace()
}

/** The same in two steps. */
export function writeReplacement(path: string, text: string): Replacement {
  // The global `crypto` loads at first use; most runs that load this file replace nothing.
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
  const temporary = `${path}.${random}.tmp`
  const discard = () => removeFile(temporary)
  const orDiscard = (step: () => void) => {
    try {
      step()
    } catch (error) {
      discard()
      throw error
    }
  }
  orDiscard(() => {
    writeFileSync(temporary, text, { flag: 'wx', mode: privateFile, flush: true })
    chmodSync(temporary, privateFile)
  })
  return { replace: () => orDiscard(() => renameSync(temporary, path)), discard }
}

/**
 * Removes temporary files beside this one that killed programs have left. Only for the program that
 * holds the file's lock, or if nothing needs their names any more.
 */
export function removeTemporaryFiles(path: string): void {
  const directory = dirname(path)
  const name = basename(path)
  for (const neighbor of readdirSync(directory)) {
    const isTemporary =
      neighbor.startsWith(name) && /^\.[0-9a-f]{16}\.tmp$/.test(neighbor.slice(name.length))
    if (isTemporary) removeFile(join(directory, neighbor))
  }
}

/**
 * Makes a rename survive a power cut if the file system supports that. If it does not, the rename
 * still counts.
 */
export function syncDirectory(path: string): void {
  unlessSystemFails(() => withFile(path, fsyncSync))
}
