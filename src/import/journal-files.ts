import { close, fchmod, fdatasync, fstat, ftruncate, open, read, rename, rm, stat, write } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncDirectory } from '../platform/private-file.ts'
import { inodeOf } from '../platform/same-file.ts'
import { systemErrorCode } from '../platform/system-error.ts'

/** The file operations of a journal. Tests replace them to make single steps fail. */
export type JournalFiles = typeof realFiles

export const realFiles = {
  /** Opens a file; a new one only the owner can access. */
  async open(path: string, flags: string): Promise<number> {
    const file = await promisify(open)(path, flags, 0o600)
    // The umask may have removed more from a new file. An existing one keeps its mode.
    if (flags.includes('x')) await promisify(fchmod)(file, 0o600)
    return file
  },
  read: async (file: number, into: Buffer, position: number) =>
    (await promisify(read)(file, into, 0, into.length, position)).bytesRead,
  /** Returns how many bytes were written: on a nearly full disk, not all of them. */
  write: async (file: number, bytes: Uint8Array) => (await promisify(write)(file, bytes)).bytesWritten,
  /** Resolves when the data is on disk. */
  synchronize: promisify(fdatasync),
  /** What the open file is now (`links` is the number of its names), and whether the path still leads to it. */
  async inspect(file: number, path: string) {
    // Not synchronously: a network file system may hang, and Ctrl-C must still end the import.
    const [open, named] = await Promise.all([
      promisify(fstat)(file, { bigint: true }),
      promisify(stat)(path, { bigint: true }).catch((error: unknown) => {
        if (!['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) throw error
        return undefined
      }),
    ])
    const isAtPath = named !== undefined && inodeOf(named) === inodeOf(open)
    return { size: Number(open.size), links: Number(open.nlink), isAtPath }
  },
  truncate: (file: number, length: number) => promisify(ftruncate)(file, length),
  /** Replaces a file durably. */
  async rename(from: string, to: string): Promise<void> {
    await promisify(rename)(from, to)
    syncDirectory(dirname(to))
  },
  remove: (path: string) => promisify(rm)(path, { force: true }),
  close: promisify(close),
}
