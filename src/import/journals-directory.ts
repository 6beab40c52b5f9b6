import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Failure } from '../failure.ts'
import { grouped } from '../model/quantities.ts'
import { realPathOf } from '../platform/same-file.ts'
import { systemErrorCode, unlessSystemFails } from '../platform/system-error.ts'
import type { Input } from './input.ts'
import { journalFailure } from './journal.ts'
import { realFiles } from './journal-files.ts'
import { isCurrent, readStart } from './journal-format.ts'
import { replayJournal } from './journal-replay.ts'

const suffix = '.journal'

/** What an import is known by. */
export interface ImportIdentity extends Pick<Input, 'name' | 'path'> {
  readonly sha256: string
  /** The base URL, or the local database. */
  readonly service: string
}

/**
 * The path of the journal of an import, whether it exists or not. The name of a journal contains a hash of the input's
 * path, and one of its content and the service. The content alone decides which journal it is; the path shows that a
 * file has changed since it was imported.
 */
export async function journalPathFor(
  directory: string,
  identity: ImportIdentity,
  { isRestart, look }: { isRestart: boolean; look: string },
): Promise<string> {
  const { path, name, sha256, service } = identity
  const contentKey = keyOf(16, [sha256, service])
  const names = readDirectory(directory)
  for (const other of names)
    if (/\.journal\.[\da-f]{16}\.tmp$/.test(other)) rmSync(join(directory, other), { force: true })
  const journals = names.filter((other) => other.endsWith(suffix))
  const readable = basename(path ?? name)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60)
  const own = `${readable}-${pathKeyOf(path)}-${contentKey}${suffix}`
  const same = journals.find((journal) => journal.endsWith(`-${contentKey}${suffix}`))
  if (same === undefined) {
    if (path !== undefined && !isRestart) await requireFinished(directory, journals, { path, service, look })
  } else if (path !== undefined && !journals.some((journal) => journal.endsWith(nameEnd(path, contentKey)))) {
    // So that a later change of this file, too, is noticed.
    symlinkSync(same, join(directory, own))
  }
  return realPathOf(join(directory, same ?? own))
}

const nameEnd = (path: string, contentKey: string) => `-${pathKeyOf(path)}-${contentKey}${suffix}`

const pathKeyOf = (path: string | undefined) => keyOf(12, path === undefined ? [] : [path])

function keyOf(length: number, identity: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, length)
}

/** Refuses a file whose content differs from that of its last import, unless every row of that was added. */
async function requireFinished(
  directory: string,
  journals: readonly string[],
  { path, service, look }: { path: string; service: string; look: string },
): Promise<void> {
  const writtenAt = (file: string) => unlessSystemFails(() => statSync(file).mtimeMs) ?? Number.NEGATIVE_INFINITY
  const [last] = journals
    .filter((name) => name.includes(`-${pathKeyOf(path)}-`))
    .map((name) => join(directory, name))
    .filter((journal) => isForService(journal, service))
    .sort((one, other) => writtenAt(other) - writtenAt(one))
  if (last === undefined || writtenAt(rejectsMark(directory, path)) >= writtenAt(last)) return
  const file = await realFiles.open(last, 'r')
  const { head, states, isEmpty } = await replayJournal(file, { path: last, look, files: realFiles }).finally(() =>
    realFiles.close(file),
  )
  const { added } = states
  const { rows } = head.content
  if (added === rows || isEmpty) return
  const progress = `${grouped(added)} of ${grouped(rows)} rows added`
  const advice = 'put the corrected or new rows into a file of their own'
  throw new Failure('usage', `${path} has changed since an unfinished import of it (${progress}): ${advice}`, {
    hint: 'petstore help import',
  })
}

function isForService(journal: string, service: string): boolean {
  const head = readStart(journal)?.head
  // A damaged one is reported when it is read.
  return head === 'damaged' || (head !== undefined && isCurrent(head) && head.service === service)
}

/** Remembers that this program has written the file as `--rejects`: its earlier imports say nothing about it. */
export function markRejects(directory: string, path: string): void {
  const real = realPathOf(path)
  if (!readDirectory(directory).some((name) => name.includes(`-${pathKeyOf(real)}-`))) return
  const mark = rejectsMark(directory, real)
  try {
    closeSync(openSync(mark, 'a', 0o600))
    const now = new Date()
    utimesSync(mark, now, now)
  } catch (error) {
    throw journalFailure(mark, error)
  }
}

const rejectsMark = (directory: string, path: string) => join(directory, `${pathKeyOf(path)}.rejects`)

function readDirectory(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw journalFailure(directory, error)
  }
}
