import type { Readable } from 'node:stream'
import type { RequestEndpoint } from '../model/endpoint.ts'
import type { Send } from '../model/exchange.ts'
import type { Redact } from '../text/visible.ts'
import type { ImportFormat } from './formats.ts'
import type { LineRange } from './line-ranges.ts'

/** What the command line asks for. */
export interface ImportChoices {
  readonly format?: ImportFormat | undefined
  readonly concurrency: number
  readonly rejects?: string | undefined
  readonly ignoreUnknown?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  readonly restart?: boolean | undefined
  /** The lines in doubt that are sent again, and those that count as added from now on. */
  readonly resend?: readonly LineRange[] | undefined
  readonly accept?: readonly LineRange[] | undefined
}

/** Where the rows go. */
export interface RowService {
  /** Sends a request once. */
  readonly send: Send
  readonly endpoint: RequestEndpoint
  /** What tells services apart: the base URL, or the local database. */
  readonly identity: string
  readonly redact: Redact
}

export interface ImportOptions extends ImportChoices {
  readonly path: string
  readonly stdin: Readable
  readonly interruption: AbortSignal
  readonly now: () => Date
  readonly retries: number
  /** Creates the directory of the journals, and returns it. */
  readonly makeDirectory: () => Promise<string>
  /** Tells the user something; the code is for programs. */
  readonly notice: (code: string, message: string) => Promise<void>
  /** Throws if so many rows must not be added again. */
  readonly confirmRestart: (added: number) => Promise<void>
  /** Undefined if the rows are only checked. The signal aborts requests in flight. */
  readonly connect?: (signal: AbortSignal) => Promise<RowService>
}
