import type { Observer, Reply, Transport } from '../model/exchange.ts'

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
