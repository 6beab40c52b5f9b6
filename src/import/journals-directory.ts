import { createHash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { systemErrorCode, unlessSystemFails } from '../platform/system-error.ts'
import { type FileIdentity, type Input, identityOf } from './input.ts'
import { journalFailure } from './journal.ts'
import { isCurrent, readStart } from './journal-format.ts'

const suffix = '.journal'

/**
 * The path of the journal for an input and an environment, whether it exists or not. An input is known by its real
 * path; under a path that no journal has, it is known by the file itself (a hard link, another mount, a new name). So
 * changed content is detected, and not imported a second time.
 */
export async function journalPathFor(directory: string, input: Input, environment: string, now: Date): Promise<string> {
  const { path, content } = input
  const pathKey = path === undefined ? uniqueKey(now) : keyOf(12, [path, environment])
  if (content === undefined) return join(directory, `${readable(input)}-${pathKey}${suffix}`)
  const contentKey = keyOf(8, [content.sha256, environment])

  const journals = await journalsIn(directory)
  // The readable part of the name may differ, and version 0.1 had no second key.
  const isOfPath = (name: string) => name.includes(`-${pathKey}-`) || name.endsWith(`-${pathKey}${suffix}`)
  const candidates = journals.filter(isOfPath)
  for (const journal of journals) {
    const head = headOf(journal)
    // A journal that cannot be read is known by its name; opening it reports what is wrong.
    const isOfFile = head === undefined ? journal.endsWith(`-${contentKey}${suffix}`) : isOfSameFile(head, input)
    if (isOfFile && (head?.environment ?? environment) === environment) candidates.push(journal)
  }
  // An empty one counts too: another program may just have created it, and hold its lock.
  const used = candidates.find((journal) => !readStart(journal)?.isEmpty)
  return used ?? candidates[0] ?? join(directory, `${readable(input)}-${pathKey}-${contentKey}${suffix}`)
}

function keyOf(length: number, identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, length)
}

/** The name alone does not identify such an input, so every import of it has its own journal. */
function uniqueKey(now: Date): string {
  return `${now.toISOString().replace(/\W/g, '')}_${randomBytes(4).toString('hex')}`
}

function readable({ path, name }: Input): string {
  return basename(path ?? name)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60)
}

function isOfSameFile(head: NonNullable<ReturnType<typeof headOf>>, { file, content }: Input): boolean {
  if (!isCurrent(head) || file === undefined) return false
  const isSame = (other: FileIdentity | undefined) => other?.inode === file.inode && other.device === file.device
  // The saved path may now lead to a newer file. This file may be another name for the one that was imported.
  if (isSame(unlessSystemFails(() => identityOf(statSync(head.input, { bigint: true }))))) return true
  if (!isSame(head.file)) return false
  // The inode of a deleted file may belong to an unrelated one by now, which may even have the same content.
  const areBirthTimesKnown = file.born !== '0' && head.file?.born !== '0'
  return areBirthTimesKnown ? head.file?.born === file.born : head.content?.sha256 === content?.sha256
}

async function journalsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw journalFailure(directory, error)
  })
  const isJournal = (entry: (typeof entries)[number]) => entry.isFile() && entry.name.endsWith(suffix)
  return entries.filter(isJournal).map(({ name }) => join(directory, name))
}

/** Undefined if the file is not a journal, or cannot be read. */
function headOf(journal: string) {
  const head = readStart(journal)?.head
  return head === 'damaged' ? undefined : head
}
