import type { RequestStage } from '../failure.ts'
import type { HttpProxy } from '../model/endpoint.ts'
import type { Reply } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import { errorCode } from '../platform/errno.ts'

/** One kind of fault: everything that the program says and decides about it. */
interface FaultFacts {
  /**
   * Where the request stopped if it was not on a connection yet; undefined if this machine is the
   * cause.
   */
  readonly stage: RequestStage | undefined
  /** The message, with the words of `faultSentence` in braces. */
  readonly sentence: string
  /** The message after the request was on a connection, if it is another one. */
  readonly startedSentence?: string
  /** The codes of undici, Node and OpenSSL for it. */
  readonly codes: readonly string[]
  /** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
  readonly isUrlSuspect?: true
  /** A command that helps if this machine is the cause. */
  readonly hint?: string
}

const fault = (
  stage: RequestStage | undefined,
  sentence: string,
  codes: readonly string[] = [],
  more: Partial<FaultFacts> = {}
): FaultFacts => ({ stage, sentence, codes, ...more })

/** TLS can also fail after the handshake, where the reason says nothing to a user. */
const handshake = (problem: string, codes: readonly string[], more = wrongUrl) =>
  fault('TLS', `no secure connection to {target}: ${problem}`, codes, {
    ...more,
    startedSentence: tlsLost
  })

const tlsLost = 'the secure connection to {target} failed{detail}'
const wrongUrl: Partial<FaultFacts> = { isUrlSuspect: true }
const trust = { hint: 'export NODE_EXTRA_CA_CERTS=/PATH/TO/AUTHORITY.pem' }
const systemTrust = 'if this system trusts it, set NODE_USE_SYSTEM_CA=1 (Node 22.19, 24.6 or later)'
/** A wrong date is just as often this machine's clock. */
const clock = { hint: 'date' }

const untrustedCodes = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
]
const timeoutCodes = [
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT'
]

/** Every kind of network fault. */
export const faultTable = {
  dns: fault('name lookup', 'there is no host named {name}', ['ENOTFOUND'], wrongUrl),
  'dns-temporary': fault('name lookup', 'the name {name} cannot be resolved right now', [
    'EAI_AGAIN'
  ]),
  'lookup-timeout': fault('name lookup', 'no answer about the name {name} {within}'),

  refused: fault('connection', '{target} refused the connection', ['ECONNREFUSED'], wrongUrl),
  reset: fault('connection', '{target} reset the connection before the request was sent'),
  unreachable: fault('connection', '{target} cannot be reached{detail}', [], wrongUrl),
  timeout: fault('connection', 'no connection to {service}{through} {within}', timeoutCodes, {
    startedSentence: 'no complete reply from {service} {within}'
  }),

  'self-signed': handshake(
    `its certificate is self-signed; ${systemTrust}`,
    ['DEPTH_ZERO_SELF_SIGNED_CERT'],
    trust
  ),
  'unknown-authority': handshake(
    `its certificate is from an unknown authority; ${systemTrust}`,
    untrustedCodes,
    trust
  ),
  'expired-certificate': handshake('its certificate has expired', ['CERT_HAS_EXPIRED'], clock),
  'early-certificate': handshake('its certificate is not valid yet', ['CERT_NOT_YET_VALID'], clock),
  'other-host': handshake('its certificate is for another host', ['ERR_TLS_CERT_ALTNAME_INVALID']),
  'no-tls': handshake('it does not speak TLS', [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'EPROTO'
  ]),
  tls: handshake('the handshake failed{detail}', []),
  'client-certificate': fault(
    'TLS',
    '{target} requires a client certificate, which petstore does not support'
  ),

  proxy: fault('proxy', '{target} refused to connect to {service} ({status})'),
  'proxy-login': fault('proxy', '{target} requires a user name and a password (407)'),

  lost: fault('connection', 'the connection to {service} was lost before the reply was complete'),
  // This code means that the length and the framing contradict each other; a short body counts as a
  // lost connection.
  'not-http': fault(
    'connection',
    '{target} sent a reply that is not HTTP',
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
    wrongUrl
  ),
  'too-large': fault(
    'connection',
    'the reply from {target} is too large',
    ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE'],
    wrongUrl
  ),

  encodings: fault('connection', '{target} sent a reply with too many encodings', [], wrongUrl),

  unsendable: fault(
    undefined,
    'the request to {service} cannot be sent{detail}',
    ['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR'],
    wrongUrl
  ),
  'no-descriptors': fault(
    undefined,
    'this machine has no file descriptor left for a connection{detail}',
    ['EMFILE'],
    { hint: 'ulimit -n 1024' }
  ),
  'no-system-descriptors': fault(
    undefined,
    'this machine has no file descriptor left for a connection{detail}',
    // The limit of the whole system, which a shell cannot raise.
    ['ENFILE']
  ),
  'no-memory': fault(
    undefined,
    'this machine has too little memory for a connection{detail}',
    ['ENOMEM', 'ENOBUFS', 'EAI_MEMORY'],
    { hint: 'ulimit -v unlimited' }
  ),
  'no-webassembly': fault(undefined, 'Node runs without WebAssembly, which requests need', [], {
    hint: 'unset NODE_OPTIONS'
  }),
  aborted: fault(undefined, 'interrupted')
}

export type FaultKind = keyof typeof faultTable

/**
 * How far the attempt got: before the request was on a connection, before the head of the reply, or
 * in its body.
 */
export type AttemptPhase = 'connecting' | 'waiting' | 'receiving'

/** What arrives before the body. */
export type ReplyHead = Omit<Reply, 'body'>

type FaultDetails = Pick<TransportFault, 'phase'> &
  Partial<Pick<TransportFault, 'head' | 'seconds' | 'cause'>>

/** A request that did not end in a complete reply. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault'
  readonly kind: FaultKind
  readonly phase: AttemptPhase
  /** The part of the reply that had arrived. */
  readonly head: ReplyHead | undefined
  /** The limit that a timeout ran into. */
  readonly seconds: number | undefined

  constructor(kind: FaultKind, { phase, head, seconds, cause }: FaultDetails) {
    super(`${kind} while ${phase}`, { cause })
    this.kind = kind
    this.phase = phase
    this.head = head
    this.seconds = seconds
  }

  /**
   * Whether bytes of the request may have been written: if not, it is certain that nothing changed.
   */
  get isStarted(): boolean {
    return this.phase !== 'connecting'
  }

  /** Where the request stopped; undefined if this machine is the cause. */
  get stage(): RequestStage | undefined {
    const { stage } = faultTable[this.kind]
    if (this.cause instanceof ProxyError) return 'proxy'
    return stage !== undefined && stage !== 'TLS' && this.isStarted ? 'reply' : stage
  }
}

/** A fault while connecting through a proxy, or its refusal: no request has been sent by then. */
export class ProxyError extends Error {
  readonly proxy: HttpProxy
  /** The status of its refusal, if it replied. */
  readonly status: number | undefined

  constructor(proxy: HttpProxy, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(`the proxy ${proxy.origin} did not connect`, { cause })
    this.proxy = proxy
    this.status = status
  }
}

/** The message for a fault of a request to this URL. */
export function faultSentence(
  { kind, isStarted, seconds = 0, cause }: TransportFault,
  url: string
): string {
  const { origin, hostname } = new URL(url)
  const { proxy, status } = cause instanceof ProxyError ? cause : {}
  const code = errorCode(cause instanceof ProxyError ? cause.cause : cause) ?? ''
  const words = {
    // The proxy if the fault is between this machine and the proxy.
    target: proxy === undefined ? origin : `the proxy ${proxy.origin}`,
    service: origin,
    through: proxy === undefined ? '' : ` through the proxy ${proxy.origin}`,
    name: proxy === undefined ? hostname : `${proxy.hostname}, the proxy in ${proxy.variable}`,
    detail: code === '' ? '' : ` (${code})`,
    within: `within ${duration(seconds)}`,
    // With which a proxy refused.
    status: String(status)
  }
  const { sentence, startedSentence = sentence } = faultTable[kind]
  return filled(isStarted ? startedSentence : sentence, words)
}

/** The sentence with these words instead of their names in braces. */
export function filled(sentence: string, words: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name)
}

/** The codes of OpenSSL and of Node's tls module begin like this. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_MISMATCH)/

/**
 * The alerts that servers send if the client has no certificate. OpenSSL 3.5 and earlier versions
 * differ in what comes before `ALERT`. TLS 1.2 has no alert of its own for it: the first one may
 * also be about ciphers.
 */
const certificateAlert =
  /ALERT_(HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED)$/

export function isCertificateAlert(error: unknown): boolean {
  return certificateAlert.test(errorCode(error) ?? '')
}

const resetCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** The kind of fault that an error of undici or Node means in this phase of the attempt. */
export function faultKindOf(error: unknown, phase: AttemptPhase): FaultKind {
  if (error instanceof TransportFault) return error.kind
  if (error instanceof ProxyError) return proxyFaultKind(error)
  // In TLS 1.3 the alert comes when the client has already sent its request, which the server does
  // not read.
  if (phase === 'waiting' && isCertificateAlert(error)) return 'client-certificate'
  if (error instanceof Error && error.name === 'HTTPParserError') {
    // Without data, the error is about the end of the connection, not about the bytes that were
    // read.
    return 'data' in error && error.data ? 'not-http' : 'lost'
  }
  const isConnecting = phase === 'connecting'
  // undici loads its parser, which is WebAssembly, with the first connection.
  if (isConnecting && error instanceof ReferenceError) return 'no-webassembly'
  if (isConnecting && error instanceof RangeError) return 'no-memory'

  const code = errorCode(error) ?? ''
  const kinds = Object.keys(faultTable) as FaultKind[]
  const known = kinds.find(kind => faultTable[kind].codes.includes(code))
  if (known !== undefined) return known
  if (tlsCode.test(code)) return 'tls'
  if (!isConnecting) return 'lost'
  return resetCodes.includes(code) ? 'reset' : 'unreachable'
}

function proxyFaultKind({ status, cause }: ProxyError): FaultKind {
  if (status === undefined) return faultKindOf(cause, 'connecting')
  return status === 407 ? 'proxy-login' : 'proxy'
}
