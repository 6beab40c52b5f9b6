import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { Failure } from '../failure.ts'
import { spaceHint, systemFailure } from '../platform/errno.ts'
import { writeChunk } from '../platform/promises.ts'
import { realPathOf } from '../platform/same-file.ts'
import type { RowResult } from './results.ts'
import type { RowLayout } from './rows.ts'

interface RejectsOptions {
  /** The input and other files that must stay. */
  readonly others: readonly (string | undefined)[]
  readonly notice: (code: string, message: string) => Promise<void>
}

/** A file of the rejected and invalid rows, so that they can be corrected and imported again. */
export async function openRejects(path: string, { others, notice }: RejectsOptions) {
  const explain = (error: unknown) => {
    throw systemFailure(
      error,
      'local',
      `${path} cannot be written`,
      spaceHint(error, dirname(path))
    )
  }
  if (others.some(other => other && realPathOf(other) === realPathOf(path)))
    throw new Failure('usage', `--rejects would overwrite ${path}`)
  const isKept = existsSync(path) && statSync(path).isFile() && statSync(path).size > 0
  if (isKept) {
    renameSync(path, `${path}~`)
    await notice('kept', `kept the former ${path} as ${path}~`)
  }
  const stream = createWriteStream(path)
  // Each write reports its own failure.
  stream.on('error', () => {})
  let count = 0
  let isArray = false
  return {
    hasRows: () => count > 0,
    async add(results: readonly RowResult[], { format, header }: RowLayout) {
      isArray = format === 'json'
      let text = ''
      for (const { row, outcome } of results) {
        if (outcome !== 'rejected' && outcome !== 'invalid') continue
        if (count === 0 && format === 'csv') text += `${header}\n`
        const { text: own } = row.raw
        text += isArray ? `${count === 0 ? '[\n' : ',\n'}${own}` : `${own}\n`
        count += 1
      }
      if (text !== '') await writeChunk(stream, text).catch(explain)
    },
    async close() {
      if (isArray && count > 0) await writeChunk(stream, '\n]\n').catch(explain)
      await finished(stream.end()).catch(explain)
    }
  }
}

export type RejectsFile = Awaited<ReturnType<typeof openRejects>>
