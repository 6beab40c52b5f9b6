import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { systemFailure, unlessSystemFails } from '../system/errno.ts'
import { realPathOf, statsOf } from '../system/same-file.ts'
import { csvLine } from '../text/csv.ts'
import { stringifyJson } from '../text/json.ts'
import type { Layout } from './formats.ts'
import { type ImportInput, stampOf } from './input.ts'
import type { Places } from './places.ts'
import type { RowResult } from './results.ts'
import type { Shutdown } from './shutdown.ts'

/** What the parts of an import share while they open. */
export interface Opening {
  readonly input: ImportInput
  readonly places: Places
  readonly shutdown: Shutdown
}

/**
 * A file of the rejected and invalid rows, so that they can be corrected and imported again. It is
 * replaced only at the end, so a run that is killed leaves the former one.
 */
export async function openRejects(path: string, opening: Opening) {
  const { places, shutdown } = opening
  const { layout } = opening.input
  await requireReplaceable(path, opening).catch((error: unknown) => {
    throw systemFailure(error, 'usage', `${path} cannot be read`)
  })
  const file = fileOf(path)
  const before = stampOf(file)
  let isWhole = true
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (error) {
      isWhole = false
      throw systemFailure(error, 'local', `${path} cannot be written`)
    }
  }
  const draft = attempt(() => createDraft(file))
  shutdown.closers.push(draft.discard)
  const hash = createHash('sha256')
  const write = (text: string) => {
    hash.update(text)
    attempt(() => draft.write(text))
  }
  let count = 0
  return {
    file,
    hasRows: () => count > 0,
    add(results: readonly RowResult[]) {
      let text = ''
      const rejected = results.filter(({ outcome }) => {
        return outcome === 'rejected' || outcome === 'invalid'
      })
      for (const { row } of rejected) {
        text += count === 0 ? beginning(layout) : between(layout)
        text += rowText(row.source, layout)
        count += 1
      }
      if (text !== '') write(text)
    },
    /** Replaces the former file, unless rows are missing in the new one. */
    async close() {
      if (!isWhole) return
      if (count > 0) write(ending(layout))
      if (stampOf(file) !== before)
        throw new Failure('local', `${path} was changed during the import, and stays as it is`)
      // The other order would leave a file that no later run may replace.
      places.addRejects(file, hash.digest('hex'))
      attempt(draft.move)
    }
  }
}

/** A link is replaced, and not what it leads to. */
const fileOf = (path: string) => join(realPathOf(dirname(path)), basename(path))

/** A new file beside this one, under a name that no other file has, until it is moved there. */
function createDraft(file: string) {
  const path = `${file}.${randomBytes(6).toString('hex')}.part`
  const descriptor = openSync(path, 'wx')
  let isThere = true
  return {
    // Bytes and not text: only for them does Node go on after a part was written.
    write: (text: string) => writeFileSync(descriptor, Buffer.from(text)),
    move: () => {
      renameSync(path, file)
      isThere = false
    },
    discard: () => {
      closeSync(descriptor)
      if (isThere) unlessSystemFails(() => rmSync(path))
    }
  }
}

function beginning({ format, mark, separator, lineEnd, header = [] }: Layout) {
  if (format === 'json') return `${mark}[${lineEnd}`
  return format === 'csv' ? `${mark}${csvLine(header, separator)}${lineEnd}` : mark
}

const between = ({ format, lineEnd }: Layout) => (format === 'json' ? `,${lineEnd}` : '')
const ending = ({ format, lineEnd }: Layout) => (format === 'json' ? `${lineEnd}]${lineEnd}` : '')

function rowText(source: unknown, { format, separator, lineEnd }: Layout) {
  if (format === 'json') return stringifyJson(source)
  const line = format === 'csv' ? csvLine(source as readonly string[], separator) : source
  return `${line}${lineEnd}`
}

/** Only rejects are replaced, or what was imported since they were written; and the input never. */
async function requireReplaceable(path: string, { input, places }: Opening) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new Failure('usage', `--rejects: ${path} is not a file`)
  const own = statsOf(input.path ?? '')
  if (found.ino === own?.ino && found.dev === own.dev)
    throw new Failure('usage', `--rejects would overwrite the input ${path}`)
  if (found.size === 0) return
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  if (places.isReplaceable(fileOf(path), hash.digest('hex'))) return
  throw new Failure(
    'usage',
    `--rejects would overwrite ${path}, which holds no rejects, or was changed and not imported`
  )
}
