import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { Failure } from '../failure.ts'
import { unitOf } from './formats.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Before, type Journal, journalInUse, openJournal } from './journal.ts'
import { areIn, type LineRange, rangeText } from './line-ranges.ts'
import { openNames } from './names.ts'
import type { ImportChoices, ImportOptions, RowService } from './options.ts'
import { type Opening, openRejects, type Rejects } from './rejects.ts'
import { readRows } from './rows.ts'
import { hashOf } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

interface Prepared {
  readonly input: ImportInput
  readonly rows: number
  readonly rejects?: Rejects | undefined
  /** Undefined if the rows are only checked. */
  readonly service?: RowService
  /** Undefined if nothing is sent. */
  readonly journal?: Journal
  /** What earlier runs did. */
  readonly before?: Before | undefined
}

/** Reads the input once, and finds what earlier runs did with its rows. */
export async function prepare(options: ImportOptions, shutdown: Shutdown): Promise<Prepared> {
  const service = await options.connect?.(shutdown.cutOff)
  const input = await openInput(options, shutdown.signal)
  shutdown.closers.push(input.close)
  const { rejects: path } = options
  if (service === undefined && path === undefined)
    return { input, rows: await countRows(input, options) }
  const names = openNames(await options.makeDirectory())
  shutdown.closers.push(names.close)
  const opening = { input, names, shutdown }
  const rejects = path === undefined ? undefined : await openRejects(path, opening)
  if (service === undefined) return { input, rejects, rows: await countRows(input, options) }
  return { input, rejects, service, ...(await claimJournal(options, service, opening)) }
}

/** Finds or creates the journal. Until it is claimed, everything can be undone. */
async function claimJournal(options: ImportOptions, service: RowService, opening: Opening) {
  const { input, names, shutdown } = opening
  const { restart = false } = options
  const identity = { service: service.identity, ...input }
  const found = names.find(identity)
  const file = names.pathOf(found ?? `${randomUUID()}.db`)
  const isNew = !existsSync(file)
  if (found !== undefined && isNew && !restart) throw lost(file)
  const journal = openJournal(file)
  let isDiscarded = isNew
  shutdown.closers.push(() => isDiscarded && rmSync(file), journal.close)
  const rows = await countRows(input, options, journal)
  const before = journal.join()
  const { added } = before.all
  if (restart && added > 0) await options.confirmRestart(added)
  if (restart) journal.clear()
  settleRows(journal, options, unitOf(input.layout.format))
  // An input without rows begins no import.
  if (rows === 0) return { rows }
  // A claim that fails may have been made.
  isDiscarded = false
  const other = names.claim(identity, found, basename(file))
  if (other !== undefined) {
    isDiscarded = isNew
    throw journalInUse(names.pathOf(other))
  }
  journal.keep()
  return { rows, journal, before: restart ? undefined : before }
}

/** A journal that an import had, and that is gone, says nothing about its rows. */
function lost(journal: string) {
  const problem = `the journal ${journal} was deleted, so which rows were added is not known`
  return new Failure('local', `${problem}; --restart adds every row`)
}

/** Counts the rows, and tells the journal about them if it has states. */
async function countRows(input: ImportInput, { ignoreUnknown }: ImportOptions, journal?: Journal) {
  let count = 0
  const isCounted = journal?.hasStates() !== true
  for await (const rows of readRows(input, ignoreUnknown, { isCounted })) {
    count += rows.length
    for (const { line, body } of rows) if (body !== undefined) journal?.addInput(line, hashOf(body))
  }
  return count
}

/** Refuses a line that is not in doubt, or not any more, because another one was meant. */
function settleRows(journal: Journal, { resend = [], accept = [] }: ImportChoices, unit: string) {
  const requireDoubt = (lines: readonly LineRange[]) => {
    const wrong = lines.find(range => !journal.isInDoubt(range))
    if (wrong === undefined) return
    const text = rangeText(wrong)
    const isOne = wrong.first === wrong.last
    const problem = isOne ? `${unit} ${text} is not` : `not every ${unit} of ${text} is`
    throw new Failure('usage', `${problem} in doubt`)
  }
  const areBothAll = [accept, resend].every(lines => areIn(lines, Number.POSITIVE_INFINITY))
  if (areBothAll) throw new Failure('usage', "use 'all' for either --accept or --resend")
  requireDoubt(accept)
  accept.forEach(journal.accept)
  requireDoubt(resend)
}
