/** What can go wrong on the wire, as data: nobody has to read a message. */
export type FaultKind =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'dns'
  | 'dns-temporary'
  | 'tls'
  | 'proxy'
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
  /** The status of the reply, where its head had come. */
  readonly status?: number | undefined
  readonly cause?: unknown
}

/** A request that did not end in a whole reply. */
export class TransportFault extends Error {
  readonly kind: FaultKind
  readonly stage: FaultStage
  readonly status: number | undefined

  constructor(kind: FaultKind, { stage, status, cause }: FaultDetails) {
    super(`${kind} while ${stage}`, { cause })
    this.name = 'TransportFault'
    this.kind = kind
    this.stage = stage
    this.status = status
  }

  /** Whether bytes of the request may have been written: only where they were not is it certain that nothing changed. */
  get started(): boolean {
    return this.stage !== 'connecting'
  }
}
