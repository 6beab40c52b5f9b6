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
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
}

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status <= 299
}

/** The boundary between the client and the other side: undici, or the local service in this program. */
export interface Transport {
  send(request: Request): Promise<Reply>
  /** Closes sockets and files, so that nothing keeps the process alive. */
  close(): Promise<void>
}

/** Observes every attempt at a request without changing it. If it returns a promise, the request waits for that. */
export interface Observer {
  onRequest?(request: Request): Promise<void> | undefined
  onReply?(request: Request, reply: Reply, milliseconds: number): Promise<void> | undefined
  onFault?(request: Request, fault: unknown, milliseconds: number): Promise<void> | undefined
}

/** The transport with an observer. */
export function observed(transport: Transport, observer: Observer): Transport {
  return {
    close: () => transport.close(),
    send: async (request) => {
      await observer.onRequest?.(request)
      // Node's more precise clock is in a module that would have to be loaded.
      const start = Date.now()
      let reply: Reply
      try {
        reply = await transport.send(request)
      } catch (fault) {
        await observer.onFault?.(request, fault, Date.now() - start)
        throw fault
      }
      await observer.onReply?.(request, reply, Date.now() - start)
      return reply
    },
  }
}
