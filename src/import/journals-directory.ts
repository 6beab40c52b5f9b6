import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { grouped } from '../model/quantities.ts'
import { systemErrorCode } from '../platform/errno.ts'
import { realPathOf } from '../platform/same-file.ts'
import type { ImportInput } from './input.ts'
import { journalFailure, realFiles } from './journal.ts'
import { replayJournal } from './journal-replay.ts'

/** What an import is known by. */
export interface ImportIdentity extends Pick<ImportInput, 'path'> {
  readonly sha256: string
  /** The base URL, or the local database. */
  readonly service: string
}

/**
 * The path of the journal of an import, whether it exists or not. The content and the service alone
 * decide which it is. For each path of an input, a link leads to the journal of its last import: it
 * shows that a file has changed since.
 */
export async function journalPathFor(
  directory: string,
  { path, sha256, service }: ImportIdentity,
  { isRestart, look }: { isRestart: boolean; look: string },
): Promise<string> {
  const name = `${fileNameFor(sha256, service)}.journal`
  const journal = realPathOf(join(directory, name))
  if (path === undefined) return journal
  const last = join(directory, `${fileNameFor(path)}-${fileNameFor(service)}.last`)
  if (!isRestart && !existsSync(journal) && existsSync(last))
    await requireFinished(realPathOf(last), path, look)
  // Other programs may do the same at the same time.
  const link = `${last}.${randomBytes(8).toString('hex')}`
  symlinkSync(name, link)
  renameSync(link, last)
  return journal
}

/**
 * Refuses a file whose content differs from that of its last import, unless every row of that was
 * added.
 */
async function requireFinished(journal: string, path: string, look: string): Promise<void> {
  const file = await realFiles.open(journal, 'r').catch((error: unknown) => {
    throw journalFailure(journal, error)
  })
  const read = (into: Buffer, position: number) => realFiles.read(file, into, position)
  const { head, states, isEmpty } = await replayJournal({ path: journal, look, read }).finally(() =>
    realFiles.close(file),
  )
  const { added } = states.counts
  const { rows } = head.content
  if (added === rows || isEmpty) return
  const progress = `${grouped(added)} of ${grouped(rows)} rows added`
  const advice = 'put the corrected or new rows into a file of their own'
  throw new Failure(
    'usage',
    `${path} has changed since an unfinished import of it (${progress}): ${advice}`,
    {
      hint: 'petstore help import',
    },
  )
}

/** This program has written the file as `--rejects`: its earlier imports say nothing about it. */
export function forgetImportsOf(path: string, directory: string): void {
  const start = `${fileNameFor(realPathOf(path))}-`
  try {
    for (const name of readdirSync(directory))
      if (name.startsWith(start)) rmSync(join(directory, name), { force: true })
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw journalFailure(directory, error)
  }
}

function fileNameFor(...identity: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)
}
