import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { grouped } from '../model/quantities.ts'
import { spaceHint, systemFailure, unlessSystemFails } from '../platform/errno.ts'
import { removeFile } from '../platform/file-access.ts'
import { makePrivateFile } from '../platform/private-file.ts'
import { realPathOf } from '../platform/same-file.ts'
import type { JournalHead } from './journal-format.ts'
import { replayJournal } from './journal-replay.ts'

/**
 * The path of the journal of an import, whether it exists or not. The content and the service alone
 * decide which it is. For each path of an input, the name of an empty file says which journal its
 * last import has: so a later run sees that a file has changed since.
 */
export async function journalPathFor(
  directory: string,
  path: string | undefined,
  { content, service }: JournalHead,
  isRestart: boolean
): Promise<string> {
  const key = shortDigest(content.sha256, service)
  const journal = realPathOf(join(directory, `${key}.journal`))
  if (path === undefined) return journal
  const start = `${shortDigest(path)}-${shortDigest(service)}.`
  const last = `${start}${key}.last`
  try {
    const others = namesIn(directory, start).filter(name => name !== last)
    const isWanted = isRestart || existsSync(journal)
    for (const other of isWanted ? [] : others)
      await requireFinished(journalOf(directory, other), path)
    // After a kill between these steps, several are there, and the next run removes the others.
    makePrivateFile(join(directory, last))
    removeFiles(directory, others)
  } catch (error) {
    throw journalsFailure(directory, error)
  }
  return journal
}

const namesIn = (directory: string, start: string) =>
  readdirSync(directory).filter(name => name.startsWith(start))

function removeFiles(directory: string, names: readonly string[]): void {
  for (const name of names) removeFile(join(directory, name))
}

/** Before version 1.1, the file was a link to the journal. */
function journalOf(directory: string, last: string): string {
  const target = unlessSystemFails(() => readlinkSync(join(directory, last)))
  const [, key] = last.split('.')
  return join(directory, target ?? `${key}.journal`)
}

const changedFileAdvice =
  "put corrected rows into a file of their own; a new file of the same name can be imported with 'petstore pets import - < FILE'"

/**
 * Refuses a file whose content differs from that of its last import, unless every row of that was
 * added.
 */
async function requireFinished(journal: string, path: string): Promise<void> {
  // Its user may have deleted it.
  if (!existsSync(journal)) return
  const file = await open(journal, 'r')
  const replaying = replayJournal(file, journal)
  const { head, states, isEmpty } = await replaying.finally(() => file.close())
  const { added } = states.counts
  const { rows } = head.content
  if (added === rows || isEmpty) return
  const progress = `${grouped(added)} of ${grouped(rows)} rows added`
  const problem = `${path} has changed since an unfinished import of it (${progress})`
  throw new Failure('usage', `${problem}: ${changedFileAdvice}`, { hint: 'petstore help import' })
}

/** This program has written the file as `--rejects`: its earlier imports say nothing about it. */
export function forgetImportsOf(path: string, directory: string): void {
  const start = `${shortDigest(realPathOf(path))}-`
  try {
    removeFiles(directory, namesIn(directory, start))
  } catch (error) {
    throw journalsFailure(directory, error)
  }
}

const journalsFailure = (directory: string, error: unknown) =>
  systemFailure(
    error,
    'local',
    `the journals in ${directory} cannot be read or written`,
    spaceHint(error, directory)
  )

/** What a path, a content or a service is called in the names of files. */
export function shortDigest(...identity: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(identity))
  return hash.digest('hex').slice(0, 16)
}
