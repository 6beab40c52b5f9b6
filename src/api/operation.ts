import type { FailureCode } from '../failure.ts'

export type ServiceName = 'pets' | 'messages'

/** Where a service is, and the key that goes there. */
export interface Endpoint {
  /** Without a slash at the end. */
  readonly url: string
  readonly key: string
  /** The key in words, with where it came from: `the key from PETSTORE_API_KEY`. */
  readonly describeKey: string
}

/** The command to run after a failure; whoever made the client knows the environment and can name it. */
export type SuggestCommand = (code: FailureCode, service: ServiceName) => string | undefined

/** One operation of the interface, with the words in which its failures are told. */
export interface Operation {
  readonly service: ServiceName
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Follows "the service refused to": `list the animals`. */
  readonly task: string
  /** What is told of a 404: `there is no animal 7`. */
  readonly absence: string
  /** What is true after a success, and what may be true when nobody knows; of an operation that changes something. */
  readonly change?: { readonly done: string; readonly doubt: string }
}
