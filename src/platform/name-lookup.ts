import type { LookupAddress, LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** A host name as `URL` writes it: every notation of an IPv4 address (`0x7f.1`, `2130706433`) is four numbers by then. */
export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || isLoopbackAddress(hostname)
}

export function isLoopbackAddress(hostname: string): boolean {
  return /^(\[::1\]|::1)$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** `localhost` and every name below it (RFC 6761, 6.3). */
function isLoopbackName(hostname: string): boolean {
  return /^([^.]+\.)*localhost\.?$/i.test(hostname)
}

const loopbackAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Node's lookup of a name, except that names of loopback never reach a name server, which could lead elsewhere. */
export const lookupName: LookupFunction = (hostname, options, callback) => {
  if (!isLoopbackName(hostname)) {
    void import('node:dns').then(({ lookup }) => {
      lookup(hostname, options as LookupOptions, callback)
    })
    return
  }
  const found = loopbackAddresses.filter(({ family }) => !options.family || options.family === family)
  if (options.all) process.nextTick(callback, null, found)
  else process.nextTick(callback, null, found[0]?.address, found[0]?.family)
}

/** All addresses of a name. */
export function lookupAll(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookupName(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses as LookupAddress[])
      else reject(error)
    })
  })
}
