import type { HttpProxy } from '../model/endpoint.ts'
import type { Reply } from '../model/exchange.ts'
import { errorCode } from '../platform/system-error.ts'

interface FaultTraits {
  /** The codes of undici and Node for this fault. */
  readonly codes?: readonly string[]
  /** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
  readonly isUrlSuspect?: true
  /** A command that helps if this machine is the cause. */
  readonly hint?: string
}

const faults = {
  refused: { codes: ['ECONNREFUSED'], isUrlSuspect: true },
  reset: {},
  timeout: {
    codes: ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'],
  },
  dns: { codes: ['ENOTFOUND'], isUrlSuspect: true },
  'dns-temporary': { codes: ['EAI_AGAIN'] },
  tls: {},
  'client-certificate': {},
  proxy: {},
  'proxy-login': {},
  unreachable: { isUrlSuspect: true },
  lost: {},
  // This code means that the length and the framing contradict each other; a short body counts as a lost connection.
  'not-http': { codes: ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH'], isUrlSuspect: true },
  'too-large': { codes: ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'], isUrlSuspect: true },
  encoding: { isUrlSuspect: true },
  unsendable: { codes: ['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR'], isUrlSuspect: true },
  'no-descriptors': { codes: ['EMFILE', 'ENFILE'], hint: 'ulimit -n 1024' },
  'no-memory': { codes: ['ENOMEM', 'ENOBUFS', 'EAI_MEMORY'], hint: 'ulimit -v unlimited' },
  'no-webassembly': { hint: 'unset NODE_OPTIONS' },
  aborted: {},
} satisfies Readonly<Record<string, FaultTraits>>

export type FaultKind = keyof typeof faults

/** Every kind of network fault. */
export const faultTraits: Readonly<Record<FaultKind, FaultTraits>> = faults

/** How far the attempt got: before the request was on a connection, before the head of the reply, or in its body. */
export type FaultStage = 'connecting' | 'waiting' | 'receiving'

interface FaultDetails {
  readonly stage: FaultStage
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
  readonly stage: FaultStage
  readonly head: Omit<Reply, 'body'> | undefined
  readonly undecodedReply: Reply | undefined
  readonly seconds: number | undefined

  constructor(kind: FaultKind, { stage, head, undecodedReply, seconds, cause }: FaultDetails) {
    super(`${kind} while ${stage}`, { cause })
    this.name = 'TransportFault'
    this.kind = kind
    this.stage = stage
    this.head = head
    this.undecodedReply = undecodedReply
    this.seconds = seconds
  }

  /** Whether bytes of the request may have been written: if not, it is certain that nothing changed. */
  get isStarted(): boolean {
    return this.stage !== 'connecting'
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

/** The code of an error of undici or Node, whether about the service or about the proxy; empty if there is none. */
export function codeOf(cause: unknown): string {
  return errorCode(cause instanceof ProxyError ? cause.cause : cause) ?? ''
}

const kindsByCode = new Map(
  Object.entries(faultTraits).flatMap(([kind, { codes = [] }]) => codes.map((code) => [code, kind as FaultKind])),
)

/** The codes of OpenSSL and of Node's tls module begin like this. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_MISMATCH|EPROTO)/

/**
 * The alerts that servers send if the client has no certificate. OpenSSL 3.5 and earlier versions differ in what comes
 * before `ALERT`. TLS 1.2 has no alert of its own for it: the first one may also be about ciphers.
 */
const certificateAlert =
  /ALERT_(HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED)$/

export function isCertificateAlert(error: unknown): boolean {
  return certificateAlert.test(errorCode(error) ?? '')
}

/** The kind of fault that an error of undici or Node means at this stage of the attempt. */
export function faultKindOf(error: unknown, stage: FaultStage): FaultKind {
  if (error instanceof TransportFault) return error.kind
  if (error instanceof ProxyError) {
    if (error.status !== undefined) return error.status === 407 ? 'proxy-login' : 'proxy'
    return faultKindOf(error.cause, 'connecting')
  }
  // In TLS 1.3 the alert comes when the client has already sent its request, which the server does not read.
  if (stage === 'waiting' && isCertificateAlert(error)) return 'client-certificate'
  if (error instanceof Error && error.name === 'HTTPParserError') {
    // Without data, the error is about the end of the connection, not about the bytes that were read.
    return 'data' in error && error.data !== '' && error.data !== undefined ? 'not-http' : 'lost'
  }
  // undici loads its parser, which is WebAssembly, with the first connection.
  if (stage === 'connecting' && error instanceof ReferenceError) return 'no-webassembly'
  if (stage === 'connecting' && error instanceof RangeError) return 'no-memory'
  const code = codeOf(error)
  const kind = kindsByCode.get(code)
  if (kind !== undefined) return kind
  if (tlsCode.test(code)) return 'tls'
  if (stage !== 'connecting') return 'lost'
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET' ? 'reset' : 'unreachable'
}
