/** A fault on the way to a proxy, or the refusal of one: no request has been sent by then. */
export class ProxyError extends Error {
  /** Scheme, host and port; what it takes to log in is left out. */
  readonly proxy: string
  readonly hostname: string
  /** The variable that names it. */
  readonly variable: string
  /** The status of its refusal, where it answered. */
  readonly status: number | undefined

  constructor({ origin, hostname, variable }: ProxyNames, { status, cause }: { status?: number; cause?: unknown }) {
    super(`the proxy ${origin} did not connect`, { cause })
    this.name = 'ProxyError'
    this.proxy = origin
    this.hostname = hostname
    this.variable = variable
    this.status = status
  }
}

interface ProxyNames {
  readonly origin: string
  readonly hostname: string
  readonly variable: string
}
