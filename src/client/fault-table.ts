import type { RequestStage } from '../failure.ts'

/** One kind of fault: everything that the program says and decides about it. */
interface FaultFacts {
  /** The codes of undici, Node and OpenSSL for it. */
  readonly codes?: readonly string[]
  /** Where the request stopped if it was not on a connection yet; undefined if this machine is the cause. */
  readonly stage?: RequestStage
  /** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
  readonly isUrlSuspect?: true
  /** A command that helps if this machine is the cause. */
  readonly hint?: string
  readonly sentence: (words: FaultWords) => string
}

/** The words for the sentence about a fault. */
interface FaultWords {
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
  readonly isStarted: boolean
  /** The status with which a proxy refused. */
  readonly status: number | undefined
  readonly encoding: string
}

/** A handshake that failed for a known reason. TLS can also fail later, where the reason says nothing to a user. */
const handshake = (problem: string, codes: readonly string[], more: Pick<FaultFacts, 'hint' | 'isUrlSuspect'>) => ({
  codes,
  stage: 'tls' as const,
  sentence: ({ target, isStarted, detail }: FaultWords) =>
    isStarted ? tlsLost(target, detail) : `no secure connection to ${target}: ${problem}`,
  ...more,
})

const tlsLost = (target: string, detail: string) => `the secure connection to ${target} failed${detail}`

/** For a certificate that this machine has no reason to trust. */
const trust = { hint: 'export NODE_EXTRA_CA_CERTS=/PATH/TO/AUTHORITY.pem' }
/** A wrong date is just as often this machine's clock. */
const clock = { hint: 'date' }
const wrongUrl = { isUrlSuspect: true } as const

const faults = {
  refused: {
    codes: ['ECONNREFUSED'],
    stage: 'connection',
    isUrlSuspect: true,
    sentence: ({ target }) => `${target} refused the connection`,
  },
  reset: {
    stage: 'connection',
    sentence: ({ target }) => `${target} reset the connection before the request was sent`,
  },
  timeout: {
    codes: ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'],
    stage: 'connection',
    sentence: ({ service, through, within, isStarted }) =>
      isStarted ? `no complete reply from ${service} ${within}` : `no connection to ${service}${through} ${within}`,
  },
  dns: {
    codes: ['ENOTFOUND'],
    stage: 'lookup',
    isUrlSuspect: true,
    sentence: ({ name }) => `there is no host named ${name}`,
  },
  'dns-temporary': {
    codes: ['EAI_AGAIN'],
    stage: 'lookup',
    sentence: ({ name }) => `the name ${name} cannot be resolved right now`,
  },
  'self-signed': handshake('its certificate is self-signed', ['DEPTH_ZERO_SELF_SIGNED_CERT'], trust),
  'unknown-authority': handshake(
    'its certificate is from an authority that this machine does not trust',
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    trust,
  ),
  'expired-certificate': handshake('its certificate has expired', ['CERT_HAS_EXPIRED'], clock),
  'early-certificate': handshake('its certificate is not valid yet', ['CERT_NOT_YET_VALID'], clock),
  'other-host': handshake('its certificate is for another host', ['ERR_TLS_CERT_ALTNAME_INVALID'], wrongUrl),
  'no-tls': handshake(
    'it does not speak TLS',
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'],
    wrongUrl,
  ),
  'no-http1': handshake('it does not speak HTTP/1.1', ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'], wrongUrl),
  'old-tls': handshake(
    'it supports only outdated versions of TLS',
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
    wrongUrl,
  ),
  'no-cipher': handshake(
    'it has no cipher in common with this machine',
    // OpenSSL 3.5 and earlier versions name the same alert differently.
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
    wrongUrl,
  ),
  tls: {
    stage: 'tls',
    isUrlSuspect: true,
    sentence: ({ target, isStarted, detail }) =>
      isStarted ? tlsLost(target, detail) : `no secure connection to ${target}: the handshake failed${detail}`,
  },
  'client-certificate': {
    stage: 'tls',
    sentence: ({ target }) => `${target} requires a client certificate, which petstore does not support`,
  },
  proxy: {
    stage: 'proxy',
    sentence: ({ target, service, status }) => `${target} refused to connect to ${service} (${status})`,
  },
  'proxy-login': {
    stage: 'proxy',
    sentence: ({ target }) => `${target} requires a user name and a password (407)`,
  },
  unreachable: {
    stage: 'connection',
    isUrlSuspect: true,
    sentence: ({ target, detail }) => `${target} cannot be reached${detail}`,
  },
  lost: {
    stage: 'connection',
    sentence: ({ service }) => `the connection to ${service} was lost before the reply was complete`,
  },
  // This code means that the length and the framing contradict each other; a short body counts as a lost connection.
  'not-http': {
    codes: ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
    stage: 'connection',
    isUrlSuspect: true,
    sentence: ({ target }) => `${target} sent a reply that is not HTTP`,
  },
  'too-large': {
    codes: ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    stage: 'connection',
    isUrlSuspect: true,
    sentence: ({ target }) => `the reply from ${target} is too large`,
  },
  encoding: {
    stage: 'connection',
    isUrlSuspect: true,
    sentence: ({ service, encoding }) => `the reply from ${service} cannot be decoded (content-encoding: ${encoding})`,
  },
  unsendable: {
    codes: ['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR'],
    isUrlSuspect: true,
    sentence: ({ service, detail }) => `the request to ${service} cannot be sent${detail}`,
  },
  'no-descriptors': {
    codes: ['EMFILE', 'ENFILE'],
    hint: 'ulimit -n 1024',
    sentence: ({ detail }) => `this machine has no file descriptor left for a connection${detail}`,
  },
  'no-memory': {
    codes: ['ENOMEM', 'ENOBUFS', 'EAI_MEMORY'],
    hint: 'ulimit -v unlimited',
    sentence: ({ detail }) => `this machine has too little memory for a connection${detail}`,
  },
  'no-webassembly': {
    hint: 'unset NODE_OPTIONS',
    sentence: () => 'Node runs without WebAssembly, which requests need',
  },
  aborted: { sentence: () => 'interrupted' },
} satisfies Readonly<Record<string, FaultFacts>>

export type FaultKind = keyof typeof faults

/** Every kind of network fault. */
export const faultTable: Readonly<Record<FaultKind, FaultFacts>> = faults
