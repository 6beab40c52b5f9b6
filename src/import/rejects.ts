import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { Failure } from '../failure.ts'
import { stringifyJson } from '../model/json.ts'
import { systemFailure, unlessSystemFails } from '../platform/errno.ts'
import { takeLock } from '../platform/lock.ts'
import { writeChunk } from '../platform/promises.ts'
import { realPathOf } from '../platform/same-file.ts'
import type { Layout } from './formats.ts'
import type { ImportInput } from './input.ts'
import type { ImportNames } from './names.ts'
import type { RowResult } from './results.ts'

interface RejectsOptions {
  readonly input: ImportInput
  readonly names: ImportNames
  /** Where the lock is. */
  readonly directory: string
  readonly signal: AbortSignal
}

/**
 * A file of the rejected and invalid rows, so that they can be corrected and imported again. It is
 * replaced only at the end, so a run that is killed leaves the former one.
 */
export async function openRejects(path: string, options: RejectsOptions) {
  const { input, names, directory, signal } = options
  const { layout } = input
  await requireReplaceable(path, options).catch((error: unknown) => {
    throw systemFailure(error, 'usage', `${path} cannot be read`)
  })
  const file = realPathOf(path)
  const lock = createHash('sha256').update(file).digest('hex').slice(0, 16)
  const unlock = await takeLock({
    file: join(directory, lock),
    name: path,
    what: 'the file',
    milliseconds: 0,
    signal
  })
  const target = `${file}.part`
  const explain = (error: unknown) => {
    throw systemFailure(error, 'local', `${path} cannot be written`)
  }
  const hash = createHash('sha256')
  const stream = createWriteStream(target)
  // Each write reports its own failure.
  stream.on('error', () => {})
  const write = async (text: string) => {
    hash.update(text)
    await writeChunk(stream, text).catch(explain)
  }
  await write('').catch(error => {
    unlock()
    throw error
  })
  let count = 0
  let isPlaced = false
  return {
    hasRows: () => count > 0,
    async add(results: readonly RowResult[], header: readonly string[]) {
      let text = ''
      for (const { row, outcome } of results) {
        if (outcome !== 'rejected' && outcome !== 'invalid') continue
        if (count === 0) text += beginning(layout, header)
        else if (layout.format === 'json') text += `,${layout.lineEnd}`
        text += rowText(row.source, layout)
        count += 1
      }
      if (text !== '') await write(text)
    },
    async close() {
      const { format, lineEnd } = layout
      if (format === 'json' && count > 0) await write(`${lineEnd}]${lineEnd}`)
      await finished(stream.end()).catch(explain)
      // The other order would leave a file that no later run may replace.
      names.addRejects(file, hash.digest('hex'))
      try {
        renameSync(target, file)
        isPlaced = true
      } catch (error) {
        explain(error)
      }
    },
    /** After `close`, or instead of it: nothing was written. */
    release() {
      if (!isPlaced) unlessSystemFails(() => rmSync(target, { force: true }))
      unlock()
    }
  }
}

function beginning({ format, mark, separator, lineEnd }: Layout, header: readonly string[]) {
  if (format === 'json') return `${mark}[${lineEnd}`
  return format === 'csv' ? `${mark}${csvLine(header, separator)}${lineEnd}` : mark
}

function rowText(source: unknown, { format, separator, lineEnd }: Layout): string {
  if (format === 'json') return stringifyJson(source)
  const line = format === 'csv' ? csvLine(source as readonly string[], separator) : source
  return `${line}${lineEnd}`
}

function csvLine(cells: readonly string[], separator: string): string {
  return cells.map(quoted).join(separator)
}

function quoted(cell: string): string {
  const needsQuotes = /[",;\t\r\n]/.test(cell)
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Only what petstore wrote, or has imported, is replaced, and the input never. */
async function requireReplaceable(path: string, { input, names }: RejectsOptions): Promise<void> {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new Failure('usage', `--rejects: ${path} is not a file`)
  const other = input.path && statSync(input.path, { bigint: true })
  if (other && other.ino === found.ino && other.dev === found.dev)
    throw new Failure('usage', `--rejects would overwrite the input ${path}`)
  if (found.size === 0n) return
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  if (names.knows(hash.digest('hex'))) return
  const problem = `--rejects would overwrite ${path}, which petstore did not write or has not imported`
  throw new Failure('usage', problem)
}
