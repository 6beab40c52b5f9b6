/** A request as a value. The URL is complete, query included. */
export interface Request {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

/** A reply as a value, with its whole body. */
export interface Reply {
  readonly status: number
  /** Names in lower case; a header that occurs more than once is an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** `name: value`, one line for each occurrence of a header. */
export function headerLines(headers: Request['headers'] | Reply['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map(one => `${name}: ${one}`)
  )
}

/** The methods that HTTP calls safe change nothing. */
export function isChangingMethod(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase())
}

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status <= 299
}

/** Sends a request and resolves to its reply, whatever the status. */
export type Send = (request: Request) => Promise<Reply>

/**
 * The boundary between the client and the other side: undici, or the local service in this program.
 */
export interface Transport {
  readonly send: Send
  /** Closes files, so that nothing is lost. */
  close?(): Promise<void>
}
