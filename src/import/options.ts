import type { Readable } from 'node:stream'
import type { RequestEndpoint } from '../model/endpoint.ts'
import type { Send } from '../model/exchange.ts'
import type { Redact } from '../text/visible.ts'
import type { ImportFormat } from './formats.ts'
import type { LineRange } from './line-ranges.ts'
import type { Place } from './places.ts'

/** Where the rows go. */
export interface RowService {
  /** Sends a request once. */
  readonly send: Send
  readonly endpoint: RequestEndpoint
  readonly redact: Redact
}

/** Held rows of a kind, or the lines of rows. */
export type Selection = 'known' | 'changed' | 'doubtful' | readonly LineRange[]

/** What an import does, and what it can use. */
export interface ImportOptions {
  readonly path: string
  readonly format?: ImportFormat | undefined
  readonly concurrency: number
  /** Sends nothing, and changes nothing. */
  readonly check?: boolean | undefined
  readonly rejects?: string | undefined
  readonly ignoreUnknown?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  /** Finds the import by this name alone. */
  readonly batch?: string | undefined
  /** The rows that are sent although they may be doubles, and those that count as added. */
  readonly add?: readonly Selection[] | undefined
  readonly skip?: readonly Selection[] | undefined
  readonly stdin: Readable
  readonly now: () => Date
  readonly retries: number
  /** The directory of the journals. */
  readonly directory: string
  /** Creates it. */
  readonly makeDirectory: () => Promise<string>
  /** Undefined if a check cannot know it. */
  readonly place: Place | undefined
  /** Tells API keys apart; empty if none is needed. */
  readonly apiKey: string
  /** How long the service knows an idempotency key, in seconds; 0 if it knows none. */
  readonly keyLife: number
  /** Tells the user something; the code is for programs. */
  readonly notice: (code: string, message: string) => Promise<void>
  /** Undefined for a check. */
  readonly service: RowService | undefined
}
