import type { Reply } from '../model/exchange.ts'

/** What can go wrong on the wire, as data: nobody has to read a message. */
export type FaultKind =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'dns'
  | 'dns-temporary'
  | 'tls'
  | 'proxy'
  | 'proxy-login'
  | 'unreachable'
  | 'lost'
  | 'not-http'
  | 'too-large'
  | 'encoding'
  | 'unsendable'
  | 'aborted'

/** How far the attempt had come: no request on a connection yet, no head of a reply yet, or in the reply's body. */
export type FaultStage = 'connecting' | 'waiting' | 'receiving'

interface FaultDetails {
  readonly stage: FaultStage
  /** What had come of the reply. */
  readonly head?: Omit<Reply, 'body'> | undefined
  /** How long there was patience, of a time-out. */
  readonly seconds?: number | undefined
  readonly cause?: unknown
}

/** A request that did not end in a whole reply. */
export class TransportFault extends Error {
  readonly kind: FaultKind
  readonly stage: FaultStage
  readonly head: Omit<Reply, 'body'> | undefined
  readonly seconds: number | undefined

  constructor(kind: FaultKind, { stage, head, seconds, cause }: FaultDetails) {
    super(`${kind} while ${stage}`, { cause })
    this.name = 'TransportFault'
    this.kind = kind
    this.stage = stage
    this.head = head
    this.seconds = seconds
  }

  get status(): number | undefined {
    return this.head?.status
  }

  /** Whether bytes of the request may have been written: only where they were not is it certain that nothing changed. */
  get started(): boolean {
    return this.stage !== 'connecting'
  }
}
