import { connectingFaults, tlsFaults } from './faults/connecting.ts'
import type { Fault } from './faults/fault.ts'
import { proxyFaults } from './faults/proxies.ts'
import { bodyFaults, replyFaults, statusFaults } from './faults/replies.ts'

/** The ways in which a request can fail, from the lookup of the name to the last byte. */
export const faultGroups: Readonly<Record<string, readonly Fault[]>> = {
  Connecting: connectingFaults,
  TLS: tlsFaults,
  Proxies: proxyFaults,
  Replies: replyFaults,
  'Error statuses': statusFaults,
  'Bodies of successes': bodyFaults
}
