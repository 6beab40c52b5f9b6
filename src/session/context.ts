import type { Client } from '../client/client.ts'
import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { Send } from '../model/exchange.ts'
import type { Output } from '../output/output.ts'
import type { Settings } from '../settings/settings.ts'
import type { Store } from '../settings/store.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import type { OpenPrompt } from '../terminal/prompt.ts'
import type { Reporter } from '../terminal/reporter.ts'
import type { HintOptions } from '../text/shell.ts'
import type { Redact } from '../text/visible.ts'

/** Everything that a command can use. `create-context.ts` says what each part needs. */
export interface Context {
  /** The process: its variables, its streams, its clock. */
  readonly host: Host
  /** SIGINT and SIGTERM. */
  readonly interruption: Interruption
  /** The version of this program. */
  readonly version: string
  /** Every setting as it applies to this run. */
  readonly settings: Settings
  /** The config file, to change it. */
  readonly store: Store
  /** Data, on stdout. */
  readonly output: Output
  /** Notices, confirmations, errors and progress, on stderr. */
  readonly report: Reporter
  /**
   * The operations of a service of the selected environment, by default of pets, or of an endpoint.
   * Repeats what is safe to repeat as often as given, instead of as often as the settings say. The
   * signal ends a request, instead of SIGINT and SIGTERM.
   */
  client(other?: {
    service?: ServiceName
    endpoint?: RequestEndpoint
    retries?: number
    signal?: AbortSignal
  }): Promise<Client>
  /**
   * What tells services apart: the base URL, or the local database. Undefined if there is none.
   */
  address(): Promise<string | undefined>
  /** What sends the requests of an import: each once, several at a time. */
  bulk(limits: { connections: number; signal: AbortSignal }): Promise<{
    endpoint: RequestEndpoint
    send: Send
    redact: Redact
  }>
  /** Does work that asks a person questions. */
  withPrompts<Value>(work: (openPrompt: OpenPrompt) => Promise<Value>): Promise<Value>
  /**
   * Throws where a change would not be sent: before a person types what would be lost, or a command
   * reads what it would change.
   */
  requireReady(service: ServiceName): void
  /** The command line again for a hint, with other values for some options; undefined removes one. */
  retyped(change: HintOptions, paths?: readonly string[]): string
  /** Closes everything that was opened. A run ends only after that. */
  close(): Promise<void>
}
