import { bodyFaults } from './faults/bodies.ts'
import { connectingFaults } from './faults/connecting.ts'
import type { Fault } from './faults/fault.ts'
import { proxyFaults } from './faults/proxies.ts'
import { replyFaults } from './faults/replies.ts'
import { statusFaults } from './faults/statuses.ts'
import { tlsFaults } from './faults/tls.ts'

export type { Fault } from './faults/fault.ts'

interface FaultGroup {
  readonly title: string
  readonly faults: readonly Fault[]
  /** A program that these faults need. */
  readonly program?: string
}

/**
 * The ways in which a request can fail, in the order of its stages: from the lookup of the name to
 * the last byte.
 */
export const faultGroups: readonly FaultGroup[] = [
  { title: 'Connecting', faults: connectingFaults },
  { title: 'TLS', faults: tlsFaults, program: 'openssl' },
  { title: 'Proxies', faults: proxyFaults },
  { title: 'Replies', faults: replyFaults },
  { title: 'Error statuses', faults: statusFaults },
  { title: 'Bodies of successful replies', faults: bodyFaults }
]
