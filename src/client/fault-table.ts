import type { RequestStage } from '../failure.ts'

/** One kind of fault: everything that the program says and decides about it. */
interface FaultFacts {
  /** Where the request stopped if it was not on a connection yet; undefined if this machine is the cause. */
  readonly stage: RequestStage | undefined
  /** The message, with the names of `FaultWords` in braces. */
  readonly sentence: string
  /** The message after the request was on a connection, if it is another one. */
  readonly startedSentence?: string
  /** The codes of undici, Node and OpenSSL for it. */
  readonly codes?: readonly string[]
  /** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
  readonly isUrlSuspect?: true
  /** A command that helps if this machine is the cause. */
  readonly hint?: string
}

/** The words for the message about a fault. */
export interface FaultWords {
  /** The service, or the proxy if the fault is between this machine and the proxy. */
  readonly target: string
  readonly service: string
  /** ` through the proxy …`, or empty. */
  readonly through: string
  /** The host name that was looked up. */
  readonly name: string
  /** The error code in parentheses, or empty. */
  readonly detail: string
  /** `within 30 s` */
  readonly within: string
  /** The status with which a proxy refused. */
  readonly status: string
  readonly encoding: string
}

type More = Pick<FaultFacts, 'startedSentence' | 'isUrlSuspect' | 'hint'>

const fault = (stage: RequestStage | undefined, sentence: string, codes: readonly string[] = [], more: More = {}) => ({
  stage,
  sentence,
  codes,
  ...more,
})

/** TLS can also fail after the handshake, where the reason says nothing to a user. */
const handshake = (problem: string, codes: readonly string[], more: More = wrongUrl) =>
  fault('tls', `no secure connection to {target}: ${problem}`, codes, { ...more, startedSentence: tlsLost })

const tlsLost = 'the secure connection to {target} failed{detail}'
const wrongUrl: More = { isUrlSuspect: true }
const trust: More = { hint: 'export NODE_EXTRA_CA_CERTS=/PATH/TO/AUTHORITY.pem' }
/** A wrong date is just as often this machine's clock. */
const clock: More = { hint: 'date' }

const untrustedCodes = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]
const timeoutCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']

const faults = {
  dns: fault('lookup', 'there is no host named {name}', ['ENOTFOUND'], wrongUrl),
  'dns-temporary': fault('lookup', 'the name {name} cannot be resolved right now', ['EAI_AGAIN']),
  'lookup-timeout': fault('lookup', 'no answer about the name {name} {within}'),

  refused: fault('connection', '{target} refused the connection', ['ECONNREFUSED'], wrongUrl),
  reset: fault('connection', '{target} reset the connection before the request was sent'),
  unreachable: fault('connection', '{target} cannot be reached{detail}', [], wrongUrl),
  timeout: fault('connection', 'no connection to {service}{through} {within}', timeoutCodes, {
    startedSentence: 'no complete reply from {service} {within}',
  }),

  'self-signed': handshake('its certificate is self-signed', ['DEPTH_ZERO_SELF_SIGNED_CERT'], trust),
  'unknown-authority': handshake(
    'its certificate is from an authority that this machine does not trust',
    untrustedCodes,
    trust,
  ),
  'expired-certificate': handshake('its certificate has expired', ['CERT_HAS_EXPIRED'], clock),
  'early-certificate': handshake('its certificate is not valid yet', ['CERT_NOT_YET_VALID'], clock),
  'other-host': handshake('its certificate is for another host', ['ERR_TLS_CERT_ALTNAME_INVALID']),
  'no-tls': handshake('it does not speak TLS', [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'EPROTO',
  ]),
  tls: handshake('the handshake failed{detail}', []),
  'client-certificate': fault('tls', '{target} requires a client certificate, which petstore does not support'),

  proxy: fault('proxy', '{target} refused to connect to {service} ({status})'),
  'proxy-login': fault('proxy', '{target} requires a user name and a password (407)'),

  lost: fault('connection', 'the connection to {service} was lost before the reply was complete'),
  // This code means that the length and the framing contradict each other; a short body counts as a lost connection.
  'not-http': fault(
    'connection',
    '{target} sent a reply that is not HTTP',
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
    wrongUrl,
  ),
  'too-large': fault(
    'connection',
    'the reply from {target} is too large',
    ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    wrongUrl,
  ),
  encoding: fault(
    'connection',
    'the reply from {service} cannot be decoded (content-encoding: {encoding})',
    [],
    wrongUrl,
  ),

  unsendable: fault(
    undefined,
    'the request to {service} cannot be sent{detail}',
    ['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR'],
    wrongUrl,
  ),
  'no-descriptors': fault(
    undefined,
    'this machine has no file descriptor left for a connection{detail}',
    ['EMFILE', 'ENFILE'],
    { hint: 'ulimit -n 1024' },
  ),
  'no-memory': fault(
    undefined,
    'this machine has too little memory for a connection{detail}',
    ['ENOMEM', 'ENOBUFS', 'EAI_MEMORY'],
    { hint: 'ulimit -v unlimited' },
  ),
  'no-webassembly': fault(undefined, 'Node runs without WebAssembly, which requests need', [], {
    hint: 'unset NODE_OPTIONS',
  }),
  aborted: fault(undefined, 'interrupted'),
}

export type FaultKind = keyof typeof faults

/** Every kind of network fault. */
export const faultTable: Readonly<Record<FaultKind, FaultFacts>> = faults
