import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unlessSystemFails } from '../platform/errno.ts'
import { realPathOf } from '../platform/same-file.ts'
import { shortDigest } from './journals-directory.ts'

/**
 * What this program has written to a file. A record of it is in the directory of the journals, so
 * that a later run overwrites nothing else. Where there is no record, the file counts as changed.
 */
export class WrittenFile {
  readonly #record: string
  readonly #hash = createHash('sha256')

  constructor(path: string, directory: string) {
    this.#record = join(directory, `${shortDigest(realPathOf(path))}.written`)
  }

  /** Whether the open file has exactly what was written to it. */
  async isUnchanged(file: number): Promise<boolean> {
    const recorded = unlessSystemFails(() => readFileSync(this.#record, 'utf8'))
    if (recorded === undefined) return false
    const hash = createHash('sha256')
    for await (const bytes of createReadStream('', { fd: file, start: 0, autoClose: false }))
      hash.update(bytes)
    return hash.digest('hex') === recorded
  }

  /** Records what has just been written, so that even a kill leaves a file that is known. */
  add(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    const digest = this.#hash.copy().digest('hex')
    unlessSystemFails(() => writeFileSync(this.#record, digest, { mode: 0o600 }))
  }
}
