import { basename } from 'node:path'
import { nameOptions } from '../client/operations.ts'
import type { Redact } from '../model/visible.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import type { ImportFormat } from './formats.ts'
import { formatByName, type SendableRow } from './rows.ts'
import type { Import } from './run.ts'

/** The command line of an import, for hints. */
interface ImportCommand {
  /** Undefined for a pipe: no command line repeats it. */
  readonly path: string | undefined
  readonly environment: string
  readonly rejects?: string | undefined
  readonly stopOnError?: boolean | undefined
  /** What was typed, for another file or with other options. */
  readonly retyped: (change: HintOptions, paths: readonly string[]) => string
  readonly redact: Redact
}

/** What is left to do. */
export interface NextStep {
  /** In words, which may lead to the command. */
  readonly advice: string
  readonly command?: string
}

/** What to do after a run; undefined if there is nothing, or no way to do it. */
export function nextStep(run: Import, command: ImportCommand): NextStep | undefined {
  const { reason, rows } = run
  const { counts, doubtful, finished } = run.tally
  const problems = counts.rejected + counts.invalid
  // The same command would end at the same row again.
  const isStopped = command.stopOnError === true && problems > 0
  // Then the same command would send nothing, or only the rejected rows. After another end, such as
  // a full disk, it still writes the results and the rejects.
  const isOver = finished === rows && (doubtful.length > 0 || reason?.code === 'partial')
  if (reason !== undefined && !isOver) return resumption(command, isStopped)
  if (doubtful.length > 0) return lookup(command, doubtful)
  return problems > 0 ? correction(command, run.rejectsFormat) : undefined
}

function resumption({ path, retyped }: ImportCommand, isStopped: boolean): NextStep {
  const purpose = isStopped ? 'for the other rows' : 'to resume'
  if (path !== undefined) {
    const change = isStopped ? { '--stop-on-error': undefined } : {}
    return { advice: purpose, command: retyped(change, [path]) }
  }
  const change = isStopped ? ' without --stop-on-error' : ''
  return { advice: `${purpose}, run the same pipe again${change}` }
}

const mostPetsToFind = 10

function lookup(
  { environment, redact }: ImportCommand,
  doubtful: readonly SendableRow[]
): NextStep {
  const names = new Set(doubtful.map(({ pet }) => pet.name))
  const selection = doubtful.length <= mostPetsToFind ? nameOptions([...names], redact) : []
  const limit = selection.length > 0 ? undefined : '100'
  return {
    advice:
      'look whether these pets are there, then use --accept-doubtful or --resend-doubtful with their numbers',
    command: commandLine(['petstore pets list', ...selection].join(' '), {
      options: { '--env': environment, '--limit': limit }
    })
  }
}

function correction(
  { path, rejects, retyped }: ImportCommand,
  rejectsFormat: ImportFormat | undefined
): NextStep | undefined {
  if (rejects === undefined) {
    const purpose = '--rejects for a file of the rows to correct'
    if (path === undefined) return { advice: `run the same pipe again with ${purpose}` }
    return {
      advice: `use ${purpose}`,
      command: retyped({ '--rejects': `rejects-${basename(path)}` }, [path])
    }
  }
  if (rejectsFormat === undefined) return undefined
  const change = {
    '--format': rejectsFormat === formatByName(rejects) ? undefined : rejectsFormat,
    '--journal': undefined,
    '--rejects': undefined
  }
  return {
    advice: `correct the rows in ${rejects} first`,
    command: retyped(change, [rejects])
  }
}
