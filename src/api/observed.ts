import type { Reply, Request, Transport } from './exchange.ts'

/** Somebody who is told of every attempt at a request, and changes nothing about it. What takes a while gives a promise. */
export interface Observer {
  onRequest?(request: Request): Promise<void> | undefined
  onReply?(request: Request, reply: Reply, milliseconds: number): Promise<void> | undefined
  onFault?(request: Request, fault: unknown, milliseconds: number): Promise<void> | undefined
}

/** The transport with somebody who looks on. */
export function observed(transport: Transport, observer: Observer): Transport {
  return {
    close: () => transport.close(),
    send: async (request) => {
      await observer.onRequest?.(request)
      // Node's finer clock is a module of its own, which would be loaded for this.
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
