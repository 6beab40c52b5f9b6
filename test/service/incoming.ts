import type { Reply, Request } from '../../src/model/exchange.ts'
import type { ServiceRequest } from '../../src/service/http.ts'

/** The service without a server. */
export type Handler = (request: ServiceRequest) => Promise<Reply>

/** A request as the service receives it, with a complete body. */
export function incoming({ body = '', ...request }: Request): ServiceRequest {
  return { ...request, readBody: async () => Buffer.from(body) }
}
