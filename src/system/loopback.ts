/**
 * `localhost` and every name below it (RFC 6761, 6.3), or an address as `URL` writes it: it has
 * already turned every notation of an IPv4 address (`0x7f.1`, `2130706433`) into four numbers.
 */
export function isLoopback(hostname: string): boolean {
  return /^(([^.]+\.)*localhost\.?|\[?::1\]?|127\.\d+\.\d+\.\d+)$/i.test(hostname)
}
