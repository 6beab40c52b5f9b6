import type { Failure } from '../failure.ts'
import { errorCode } from '../system/errno.ts'
import { duration } from '../text/quantities.ts'
import { quotedValue, setVariable } from '../text/shell.ts'
import type { HttpProxy } from './proxies.ts'

interface FaultFacts {
  /** Where the request stopped; undefined if this machine is the cause. */
  readonly stage: Failure['stage']
  readonly sentence: string
  /** The codes of undici, Node and OpenSSL for it. */
  readonly codes?: RegExp
  /** Whether the likeliest cause is a wrong URL. */
  readonly isUrlSuspect?: true
  /** A command that helps if this machine is the cause. */
  readonly hint?: string
}

/** Every kind of network fault; the first whose codes match. */
const faultTable = {
  dns: {
    stage: 'name lookup',
    sentence: 'there is no host named {host}',
    codes: /^ENOTFOUND$/,
    isUrlSuspect: true
  },
  'dns-temporary': {
    stage: 'name lookup',
    sentence: 'the name {host} cannot be resolved right now',
    codes: /^EAI_AGAIN$/
  },
  refused: {
    stage: 'connection',
    sentence: '{origin} refused the connection',
    codes: /^ECONNREFUSED$/,
    isUrlSuspect: true
  },
  authority: {
    stage: 'TLS',
    sentence:
      'the certificate of {origin} is not trusted ({code}); with NODE_USE_SYSTEM_CA=1, Node 22.19 and later trusts the authorities of this system',
    codes: /SELF_SIGNED|UNABLE_TO_/,
    hint: setVariable('NODE_EXTRA_CA_CERTS', quotedValue('/PATH/TO/AUTHORITY.pem'))
  },
  'no-tls': {
    stage: 'TLS',
    sentence: '{origin} does not speak TLS, so its URL may begin with http://',
    codes: /^ERR_SSL_WRONG_VERSION/,
    isUrlSuspect: true
  },
  tls: {
    stage: 'TLS',
    sentence: 'no secure connection to {origin} ({code})',
    codes: /^(ERR_TLS_|ERR_SSL_|EPROTO|CERT_)/,
    isUrlSuspect: true
  },
  proxy: {
    stage: 'proxy',
    sentence: 'the proxy of {variable} refused to connect to {origin} ({status})'
  },
  timeout: {
    stage: 'connection',
    sentence: 'no reply from {origin} within {time}',
    codes: /TIMEOUT|ETIMEDOUT/
  },
  'too-large': {
    stage: 'reply',
    sentence: 'the reply from {origin} is too large',
    codes: /OVERFLOW|EXCEEDED/,
    isUrlSuspect: true
  },
  'not-http': {
    stage: 'reply',
    sentence: '{origin} sent a reply that is not HTTP',
    codes: /^UND_ERR_RES_CONTENT/,
    isUrlSuspect: true
  },
  unsendable: {
    stage: undefined,
    sentence: 'the request to {origin} cannot be sent ({code})',
    codes: /INVALID|EMFILE|ENFILE|ENOMEM|ENOBUFS/
  },
  lost: {
    stage: 'connection',
    sentence: 'the connection to {origin} was lost',
    codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/
  },
  unreachable: {
    stage: 'connection',
    sentence: '{origin} cannot be reached ({code})',
    isUrlSuspect: true
  },
  aborted: { stage: undefined, sentence: 'interrupted' }
} satisfies Record<string, FaultFacts>

export type FaultKind = keyof typeof faultTable

export interface FaultDetails {
  /** Whether bytes of the request may have been written: if not, nothing changed. */
  readonly isStarted: boolean
  /** The limit that a timeout ran into. */
  readonly timeoutSeconds?: number
  /** The proxy on the way. */
  readonly proxy?: HttpProxy | undefined
  /** With which a proxy refused. */
  readonly proxyStatus?: string | undefined
  readonly cause?: unknown
}

/** A request that did not end in a complete reply. */
export class TransportFault extends Error {
  readonly kind: FaultKind
  readonly details: FaultDetails

  constructor(kind: FaultKind, details: FaultDetails) {
    super(kind, { cause: details.cause })
    this.kind = kind
    this.details = details
  }

  get facts(): FaultFacts {
    return faultTable[this.kind]
  }
}

/** What an error of undici or Node means. */
export function faultFrom(details: FaultDetails): unknown {
  const { cause, isStarted } = details
  if (!(cause instanceof Error)) return cause
  // undici has only this text for the refusal of a proxy.
  const [, proxyStatus] = /^Proxy .*\((\d{3})\)/.exec(cause.message) ?? []
  if (proxyStatus !== undefined)
    return new TransportFault('proxy', { ...details, isStarted: false, proxyStatus })
  return new TransportFault(kindOf(cause, isStarted), details)
}

function kindOf(error: Error, isStarted: boolean) {
  // Without data, the error is about the end of the connection.
  if (error.name === 'HTTPParserError') return 'data' in error && error.data ? 'not-http' : 'lost'
  const code = errorCode(error) ?? ''
  const kinds = Object.entries(faultTable) as [FaultKind, FaultFacts][]
  const known = kinds.find(([, { codes }]) => codes?.test(code))
  return known?.[0] ?? (isStarted ? 'lost' : 'unreachable')
}

/** The message for a fault of a request to this URL. */
export function faultSentence({ facts, details, cause }: TransportFault, url: string): string {
  const { origin, hostname: host } = new URL(url)
  const { isStarted, timeoutSeconds = 0, proxy, proxyStatus: status = '' } = details
  const code = errorCode(cause) ?? String(cause)
  const time = duration(timeoutSeconds)
  const variable = proxy?.variable ?? ''
  const words = { origin, host, time, code, variable, status }
  // Until a request starts, the fault may be one between this machine and the proxy.
  const isAtProxy = proxy !== undefined && !isStarted && status === ''
  return filled(
    isAtProxy ? `${facts.sentence} (by the proxy of {variable})` : facts.sentence,
    words
  )
}

/** The sentence with these words instead of their names in braces. */
export function filled(sentence: string, words: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name)
}
