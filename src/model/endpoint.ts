import { Failure } from '../failure.ts'

export type ServiceName = 'pets' | 'messages'

/** Where one of an environment's services is and the key that goes there, with what an error has to say of them. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly url: string
  /** What messages call the place where its address is made up. */
  readonly placeName?: string
  readonly key: string
  /** The key in words: `the key from PETSTORE_API_KEY`. */
  readonly describeKey: string
  /** The environment that it belongs to, for the commands in hints. */
  readonly environment: string
  /** The variables that the address and the key came from, where they did not come out of the config. */
  readonly urlVariable?: string | undefined
  readonly keyVariable?: string | undefined
  /** During a login: the command that begins it again, with the addresses that are not saved yet. */
  readonly login?: string
}

/** A proxy as a variable names it. */
export interface HttpProxy {
  /** Scheme, host and port; what it takes to log in is left out, so that it can be shown. */
  readonly origin: string
  readonly hostname: string
  /** The header that logs in, where the variable holds a user name. */
  readonly authorization?: string | undefined
  readonly variable: string
}

/** Refuses a key that would break the header it is sent in, or that undici would not send. */
export function requireSendableKey(key: string, description: string, hint?: string): void {
  if (/^[\x21-\x7e]+$/.test(key)) return
  throw new Failure('auth', `${description} can't be sent: only printable ASCII makes a key, and no spaces`, { hint })
}
