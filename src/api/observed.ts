import type { Reply, Request, Transport } from './exchange.ts'

/** Somebody who is told of every attempt at a request, and changes nothing about it. */
export interface Observer {
  onRequest?(request: Request): Promise<void>
  onReply?(request: Request, reply: Reply, milliseconds: number): Promise<void>
  onFault?(request: Request, fault: unknown, milliseconds: number): Promise<void>
}

/** The transport with somebody who looks on. */
export function observed(transport: Transport, { onRequest, onReply, onFault }: Observer): Transport {
  return {
    close: () => transport.close(),
    send: async (request) => {
      await onRequest?.(request)
      // Node's finer clock is a module of its own, which would be loaded for this.
      const start = Date.now()
      const spent = () => Date.now() - start
      const reply = await transport.send(request).catch(async (fault: unknown) => {
        await onFault?.(request, fault, spent())
        throw fault
      })
      await onReply?.(request, reply, spent())
      return reply
    },
  }
}
