import type { RequestStage } from '../failure.ts'
import type { HttpProxy } from '../model/endpoint.ts'
import type { Reply } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import { errorCode } from '../platform/system-error.ts'
import { type FaultKind, type FaultWords, faultTable } from './fault-table.ts'

/** How far the attempt got: before the request was on a connection, before the head of the reply, or in its body. */
export type AttemptPhase = 'connecting' | 'waiting' | 'receiving'

interface FaultDetails {
  readonly phase: AttemptPhase
  /** The part of the reply that had arrived. */
  readonly head?: Omit<Reply, 'body'> | undefined
  /** A complete reply in an encoding that cannot be read. */
  readonly undecodedReply?: Reply | undefined
  /** The limit that a timeout ran into. */
  readonly seconds?: number | undefined
  readonly cause?: unknown
}

/** A request that did not end in a complete reply. */
export class TransportFault extends Error {
  readonly kind: FaultKind
  readonly phase: AttemptPhase
  readonly head: Omit<Reply, 'body'> | undefined
  readonly undecodedReply: Reply | undefined
  readonly seconds: number | undefined

  constructor(kind: FaultKind, { phase, head, undecodedReply, seconds, cause }: FaultDetails) {
    super(`${kind} while ${phase}`, { cause })
    this.name = 'TransportFault'
    this.kind = kind
    this.phase = phase
    this.head = head
    this.undecodedReply = undecodedReply
    this.seconds = seconds
  }

  /** Whether bytes of the request may have been written: if not, it is certain that nothing changed. */
  get isStarted(): boolean {
    return this.phase !== 'connecting'
  }

  /** Where the request stopped; undefined if this machine is the cause. */
  get stage(): RequestStage | undefined {
    const { stage } = faultTable[this.kind]
    if (this.cause instanceof ProxyError) return 'proxy'
    return stage !== undefined && stage !== 'tls' && this.isStarted ? 'reply' : stage
  }
}

/** A fault while connecting through a proxy, or its refusal: no request has been sent by then. */
export class ProxyError extends Error {
  readonly proxy: HttpProxy
  /** The status of its refusal, if it replied. */
  readonly status: number | undefined

  constructor(proxy: HttpProxy, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(`the proxy ${proxy.origin} did not connect`, { cause })
    this.name = 'ProxyError'
    this.proxy = proxy
    this.status = status
  }
}

/** The message for a fault of a request to this URL. */
export function faultSentence({ kind, isStarted, head, seconds = 0, cause }: TransportFault, url: string): string {
  const { origin, hostname } = new URL(url)
  const { proxy, status } = cause instanceof ProxyError ? cause : {}
  const code = errorCode(cause instanceof ProxyError ? cause.cause : cause) ?? ''
  const words: FaultWords = {
    target: proxy === undefined ? origin : `the proxy ${proxy.origin}`,
    service: origin,
    through: proxy === undefined ? '' : ` through the proxy ${proxy.origin}`,
    name: proxy === undefined ? hostname : `${proxy.hostname}, the proxy in ${proxy.variable}`,
    detail: code === '' ? '' : ` (${code})`,
    within: seconds === 0 ? 'in time' : `within ${duration(seconds)}`,
    status: String(status),
    // None has a longer name.
    encoding: String(head?.headers['content-encoding']).slice(0, 20),
  }
  const { sentence, startedSentence = sentence } = faultTable[kind]
  return (isStarted ? startedSentence : sentence).replace(/\{(\w+)\}/g, (_, name: keyof FaultWords) => words[name])
}

const kindsByCode = new Map(
  Object.entries(faultTable).flatMap(([kind, { codes = [] }]) => codes.map((code) => [code, kind as FaultKind])),
)

/** The codes of OpenSSL and of Node's tls module begin like this. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_MISMATCH)/

/**
 * The alerts that servers send if the client has no certificate. OpenSSL 3.5 and earlier versions differ in what comes
 * before `ALERT`. TLS 1.2 has no alert of its own for it: the first one may also be about ciphers.
 */
const certificateAlert =
  /ALERT_(HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED)$/

export function isCertificateAlert(error: unknown): boolean {
  return certificateAlert.test(errorCode(error) ?? '')
}

/** The kind of fault that an error of undici or Node means in this phase of the attempt. */
export function faultKindOf(error: unknown, phase: AttemptPhase): FaultKind {
  if (error instanceof TransportFault) return error.kind
  if (error instanceof ProxyError) {
    if (error.status !== undefined) return error.status === 407 ? 'proxy-login' : 'proxy'
    return faultKindOf(error.cause, 'connecting')
  }
  // In TLS 1.3 the alert comes when the client has already sent its request, which the server does not read.
  if (phase === 'waiting' && isCertificateAlert(error)) return 'client-certificate'
  if (error instanceof Error && error.name === 'HTTPParserError') {
    // Without data, the error is about the end of the connection, not about the bytes that were read.
    return 'data' in error && error.data !== '' && error.data !== undefined ? 'not-http' : 'lost'
  }
  // undici loads its parser, which is WebAssembly, with the first connection.
  if (phase === 'connecting' && error instanceof ReferenceError) return 'no-webassembly'
  if (phase === 'connecting' && error instanceof RangeError) return 'no-memory'
  const code = errorCode(error) ?? ''
  const kind = kindsByCode.get(code)
  if (kind !== undefined) return kind
  if (tlsCode.test(code)) return 'tls'
  if (phase !== 'connecting') return 'lost'
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET' ? 'reset' : 'unreachable'
}
