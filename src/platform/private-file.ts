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
  writeFileSync
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

/**
 * Replaces a file by one that only its owner can access: completely or, after any failure, not at
 * all. `prepare` runs when the new content is in a temporary file beside the old one. The path must
 * not be a link, because the link itself would be replaced. To survive a power cut, the directory
 * has to be synced as well.
 */
export async function replacePrivateFile(
  path: string,
  text: string,
  prepare = async () => {}
): Promise<void> {
  // The global `crypto` loads at first use; most runs that load this file replace nothing.
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
  const temporary = `${path}.${random}.tmp`
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: privateFile, flush: true })
    chmodSync(temporary, privateFile)
    await prepare()
    renameSync(temporary, path)
  } catch (error) {
    removeFile(temporary)
    throw error
  }
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
