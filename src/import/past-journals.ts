import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/system-error.ts'
import { journalFailure } from './journal.ts'
import { realFiles } from './journal-files.ts'
import { readHead } from './journal-lines.ts'
import { putAside } from './journal-opening.ts'

const longestHead = 64 * 1024

/**
 * Puts the journals aside that tell of an environment whose data is gone: the same import again would take its rows for
 * added. Answers how many there were.
 */
export async function putPastJournalsAside(directory: string, environment: string, now: Date): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw journalFailure(directory, error)
  })
  let count = 0
  for (const entry of entries.filter((one) => one.isFile() && one.name.endsWith('.journal'))) {
    const path = join(directory, entry.name)
    try {
      if ((await environmentOf(path)) !== environment) continue
      await putAside(path, now.toISOString(), realFiles)
    } catch (error) {
      throw journalFailure(path, error)
    }
    count += 1
  }
  return count
}

/** Undefined for what is no journal. */
async function environmentOf(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHead), 0, longestHead, 0)
    const [head = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1)
    return readHead(head)?.environment
  } finally {
    await file.close()
  }
}
