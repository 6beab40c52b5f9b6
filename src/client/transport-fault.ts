import type { RequestStage } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import { errorCode } from '../platform/errno.ts'
import { quotedValue, setVariable } from '../platform/shell.ts'

interface FaultFacts {
  /** Where the request stopped; undefined if this machine is the cause. */
  readonly stage: RequestStage | undefined
  readonly sentence: string
  /** The codes of undici, Node and OpenSSL for it. */
  readonly codes?: RegExp
  /** Whether the likeliest cause is a wrong URL. */
  readonly isUrlSuspect?: true
  /** A command that helps if this machine is the cause. */
  readonly hint?: string
}

/** Every kind of network fault; the first whose codes match. */
export const faultTable = {
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
  certificate: {
    stage: 'TLS',
    sentence: 'the certificate of {origin} is not trusted ({detail})',
    codes: /CERT|SELF_SIGNED|UNABLE_TO_/,
    hint: setVariable('NODE_EXTRA_CA_CERTS', quotedValue('/PATH/TO/AUTHORITY.pem'))
  },
  tls: {
    stage: 'TLS',
    sentence: 'no secure connection to {origin} ({detail})',
    codes: /^(ERR_TLS_|ERR_SSL_|EPROTO)/,
    isUrlSuspect: true
  },
  proxy: {
    stage: 'proxy',
    sentence: 'the proxy of HTTPS_PROXY or HTTP_PROXY refused to connect to {origin}',
    codes: /^UND_ERR_(PRX|ABORTED)/
  },
  timeout: {
    stage: 'connection',
    sentence: 'no reply from {origin} within {time}',
    codes: /TIMEOUT|ETIMEDOUT/
  },
  'too-large': {
    stage: 'reply',
    sentence: 'the reply from {origin} is too large',
    codes: /OVERFLOW|EXCEEDED|TOO_LARGE/,
    isUrlSuspect: true
  },
  'not-http': {
    stage: 'reply',
    sentence: '{origin} sent a reply that is not HTTP',
    codes: /^(HPE_|UND_ERR_RES_CONTENT)/,
    isUrlSuspect: true
  },
  unsendable: {
    stage: undefined,
    sentence: 'the request to {origin} cannot be sent ({detail})',
    codes: /INVALID|EMFILE|ENFILE|ENOMEM/
  },
  lost: { stage: 'reply', sentence: 'the connection to {origin} was lost before the reply' },
  unreachable: {
    stage: 'connection',
    sentence: '{origin} cannot be reached ({detail})',
    isUrlSuspect: true
  },
  aborted: { stage: undefined, sentence: 'interrupted' }
} satisfies Record<string, FaultFacts>

export type FaultKind = keyof typeof faultTable

/** What arrives before the body. */
export type ReplyHead = Omit<Reply, 'body'>

interface FaultDetails {
  /** Whether bytes of the request may have been written: if not, nothing changed. */
  readonly isStarted: boolean
  readonly head?: ReplyHead | undefined
  /** The limit that a timeout ran into. */
  readonly seconds?: number | undefined
  readonly detail?: string | undefined
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

  get isStarted(): boolean {
    return this.details.isStarted
  }

  get head(): ReplyHead | undefined {
    return this.details.head
  }

  get facts(): FaultFacts {
    return faultTable[this.kind]
  }
}

export function kindOf(error: unknown, isStarted: boolean): FaultKind {
  const code = errorCode(error) ?? ''
  const kinds = Object.entries(faultTable) as [FaultKind, FaultFacts][]
  const known = kinds.find(([, { codes }]) => codes?.test(code))
  return known?.[0] ?? (isStarted ? 'lost' : 'unreachable')
}

/** The message for a fault of a request to this URL. */
export function faultSentence({ facts, details }: TransportFault, url: string): string {
  const { origin, hostname } = new URL(url)
  const { seconds = 0, detail = 'no reason' } = details
  return filled(facts.sentence, { origin, host: hostname, time: duration(seconds), detail })
}

/** The sentence with these words instead of their names in braces. */
export function filled(sentence: string, words: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name)
}
