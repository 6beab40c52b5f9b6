import { close, fchmod, fdatasync, fstat, ftruncate, open, read, rename, rm, stat, write } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncDirectory } from '../platform/private-file.ts'
import { systemErrorCode } from '../platform/system-error.ts'

/** The file operations of a journal. Tests replace them to make single steps fail. */
export interface JournalFiles {
  /** Opens a file; a new one only the owner can access. */
  open(path: string, flags: string): Promise<number>
  read(file: number, into: Buffer, position: number): Promise<number>
  /** Returns how many bytes were written: on a nearly full disk, not all of them. */
  write(file: number, bytes: Uint8Array, position: number): Promise<number>
  /** Resolves when the data is on disk. */
  synchronize(file: number): Promise<void>
  /** What the open file is now, and whether the path still leads to it. */
  inspect(file: number, path: string): Promise<FileState>
  truncate(file: number, length: number): Promise<void>
  /** Replaces a file durably. */
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  close(file: number): Promise<void>
}

interface FileState {
  readonly size: number
  /** The number of its names (hard links). */
  readonly links: number
  readonly isAtPath: boolean
}

export const realFiles: JournalFiles = {
  async open(path, flags) {
    const file = await promisify(open)(path, flags, 0o600)
    // The umask may have removed more from a new file. An existing one keeps its mode.
    if (flags.includes('x')) await promisify(fchmod)(file, 0o600)
    return file
  },
  read: async (file, into, position) => (await promisify(read)(file, into, 0, into.length, position)).bytesRead,
  write: (file, bytes, position) =>
    new Promise((resolve, reject) => {
      write(file, bytes, 0, bytes.length, position, (error, written) => (error ? reject(error) : resolve(written)))
    }),
  synchronize: promisify(fdatasync),
  async inspect(file, path) {
    const [open, named] = await Promise.all([
      promisify(fstat)(file, { bigint: true }),
      promisify(stat)(path, { bigint: true }).catch((error: unknown) => {
        if (systemErrorCode(error) === undefined) throw error
        return undefined
      }),
    ])
    const isAtPath = named !== undefined && named.ino === open.ino && named.dev === open.dev
    return { size: Number(open.size), links: Number(open.nlink), isAtPath }
  },
  truncate: promisify(ftruncate),
  async rename(from, to) {
    await promisify(rename)(from, to)
    syncDirectory(dirname(to))
  },
  remove: (path) => promisify(rm)(path, { force: true }),
  close: promisify(close),
}
