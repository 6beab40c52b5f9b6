/** A request as a value. The address is complete, query included. */
export interface Request {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

/** A reply as a value, its body whole. */
export interface Reply {
  readonly status: number
  /** Names in lower case; a header that came more than once is an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** The seam between the client and whatever answers: undici, or the local service in this program. */
export interface Transport {
  send(request: Request): Promise<Reply>
  /** Lets go of sockets and files; after it nothing keeps the process alive. */
  close(): Promise<void>
}

/** Sees every attempt at a request and changes nothing about it. A promise is waited for. */
export interface Observer {
  onRequest?(request: Request): Promise<void> | undefined
  onReply?(request: Request, reply: Reply, milliseconds: number): Promise<void> | undefined
  onFault?(request: Request, fault: unknown, milliseconds: number): Promise<void> | undefined
}
