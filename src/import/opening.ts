import type { Readable } from 'node:stream'
import type { Failure } from '../failure.ts'
import type { UsedFile } from '../platform/same-file.ts'
import type { ImportFormat } from './format.ts'
import type { ImportInput } from './input.ts'
import type { Journal } from './journal.ts'
import type { ImportBatch } from './results.ts'

/** What the command line asks for. */
export interface ImportChoices {
  readonly format?: ImportFormat | undefined
  readonly rejects?: string | undefined
  readonly stopOnError?: boolean | undefined
  readonly concurrency: number
  /** The journal's path; by default a file in `journals`. */
  readonly journal?: string | undefined
  readonly restart?: boolean | undefined
  /** The doubtful rows that are sent again: all, or those with these numbers. */
  readonly resendDoubtful?: true | readonly number[] | undefined
  /** The numbers of doubtful rows that count as added from now on. */
  readonly acceptDoubtful?: readonly number[] | undefined
}

/** The same with the parts of the program that every import needs. */
export interface ImportOptions extends ImportChoices {
  /** The file; `-` for standard input. */
  readonly path: string
  /** The same command for CSV, for hints. */
  readonly commandForCsv?: string | undefined
  readonly stdin: Readable
  readonly interruption: AbortSignal
  /** Files that neither the rejects nor the journal may overwrite. */
  readonly protectedFiles: readonly UsedFile[]
  /** Creates the directory of the journals, and returns it. */
  readonly makeJournals: () => Promise<string>
  /** Tells the user something; the code is for programs. */
  readonly notice: (code: string, message: string) => Promise<void>
}

/** An import that is ready to run. */
export interface Import {
  readonly input: Pick<ImportInput, 'content' | 'format'>
  /** Undefined if nothing is sent. */
  readonly journal?: Pick<Journal, 'path' | 'lastWrite' | 'states'>
  /**
   * Yields the results of all rows. If the import ends early, it throws the reason after the last
   * result.
   */
  readonly batches: AsyncGenerator<ImportBatch>
  /**
   * The format of the rejects, known at its end; undefined if there are none, or if they are kept
   * nowhere.
   */
  rejectsFormat?(): ImportFormat | undefined
  /** Whether the same command can continue the import; known at its end. */
  isResumable?(): boolean
  /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
  stop(reason: Failure): void
  /** Closes the files. Owed once, after the last batch. */
  close(): Promise<void>
}
