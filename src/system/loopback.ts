import type { LookupFunction } from 'node:net'

/**
 * `localhost`, or an address as `URL` writes it: it has already turned every notation of an IPv4
 * address (`0x7f.1`, `2130706433`) into four numbers.
 */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[?::1\]?|127\.\d+\.\d+\.\d+)$/i.test(hostname)
}

/** The addresses of `localhost`, whatever a name server or a file of hosts says. */
export const lookupLocalhost: LookupFunction = (_hostname, { all }, callback) => {
  if (!all) return callback(null, '127.0.0.1', 4)
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 }
  ])
}
