import type { ServiceName } from '../model/endpoint.ts'

/** One operation of the interface, with the words in which its failures are told. */
export interface Operation {
  readonly service: ServiceName
  readonly method: string
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Follows "the service refused to": `list the animals`. */
  readonly task: string
  /** What is told of a 404: `there is no animal 7`. */
  readonly absence: string
  /** Whether a 404 speaks of the one thing that was asked for, and not of the address. */
  readonly isOfOneThing?: boolean
  /** What is true after a success, and what may be true when nobody knows; of an operation that changes something. */
  readonly change?: { readonly done: string; readonly doubt: string }
  readonly commands: OperationCommands
}

/** Commands to run after a failure; the environment is added to them. */
interface OperationCommands {
  /** The command that was run, for its help. */
  readonly self: string
  /** The same again; of an operation that only reads. */
  readonly again?: string
  /** Shows what there is at the service, for whoever has to look. */
  readonly look?: string
}
