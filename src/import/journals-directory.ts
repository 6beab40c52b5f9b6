import { createHash, randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { systemErrorCode } from '../platform/system-error.ts'
import { realFiles } from './journal-files.ts'
import { readHead } from './journal-format.ts'
import { moveAside } from './journal-opening.ts'
import { journalFailure } from './journal-writer.ts'

/**
 * The path of the journal for a file and an environment. It depends on the file's path and not on its content, so that a
 * changed file is noticed and not imported a second time.
 */
export function journalPath(directory: string, file: string, environment: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([realPath(file), environment]))
    .digest('hex')
    .slice(0, 12)
  return join(directory, `${readable(file)}-${hash}.journal`)
}

/** The path of the journal for a pipe: a new one each time, because the command alone does not identify the input. */
export function pipeJournalPath(directory: string, file: string, now: Date): string {
  const name = file === '-' ? 'stdin' : readable(file)
  const suffix = randomBytes(4).toString('hex')
  return join(directory, `${name}-${now.toISOString().replace(/\W/g, '')}-${suffix}.journal`)
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    // A missing file is reported when it is opened.
    return resolve(file)
  }
}

function readable(file: string): string {
  return basename(file)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60)
}

const longestHead = 64 * 1024

/**
 * Sets aside the journals of an environment whose data is deleted: otherwise the next import would skip its rows as added.
 * Returns how many there were.
 */
export async function setJournalsAside(directory: string, environment: string, now: Date): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw journalFailure(directory, error)
  })
  let count = 0
  for (const entry of entries.filter((one) => one.isFile() && one.name.endsWith('.journal'))) {
    const path = join(directory, entry.name)
    try {
      if ((await environmentOf(path)) !== environment) continue
      await moveAside(path, now.toISOString(), realFiles)
    } catch (error) {
      throw journalFailure(path, error)
    }
    count += 1
  }
  return count
}

/** Undefined if the file is not a journal. */
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
