/**
 * A host name as `URL` writes it: it has already turned every notation of an IPv4 address
 * (`0x7f.1`, `2130706433`) into four numbers.
 */
export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || isLoopbackAddress(hostname)
}

function isLoopbackAddress(hostname: string): boolean {
  return /^(\[::1\]|::1|127\.\d+\.\d+\.\d+)$/.test(hostname)
}

/** `localhost` and every name below it (RFC 6761, 6.3). */
function isLoopbackName(hostname: string): boolean {
  return /^([^.]+\.)*localhost\.?$/i.test(hostname)
}
