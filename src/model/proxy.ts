import { errorCode as codeOf } from '../platform/system-error.ts'

/** A proxy as a variable names it. */
export interface HttpProxy {
  /** Scheme, host and port; what it takes to log in is left out, so that it can be shown. */
  readonly origin: string
  readonly hostname: string
  /** The header that logs in, where the variable holds a user name. */
  readonly authorization?: string | undefined
  readonly variable: string
}

/** A fault on the way to a proxy, or the refusal of one: no request has been sent by then. */
export class ProxyError extends Error {
  readonly proxy: HttpProxy
  /** The status of its refusal, where it answered. */
  readonly status: number | undefined

  constructor(proxy: HttpProxy, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(`the proxy ${proxy.origin} did not connect`, { cause })
    this.name = 'ProxyError'
    this.proxy = proxy
    this.status = status
  }
}

/** The code of what undici or Node complained of, be it about the service or about the proxy before it. */
export function errorCode(cause: unknown): string {
  return codeOf(cause instanceof ProxyError ? cause.cause : cause) ?? ''
}
