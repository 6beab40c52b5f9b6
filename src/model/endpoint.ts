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
  /** Of a login under way: the command that begins it again, with the addresses that nothing has kept yet. */
  readonly login?: string
}
