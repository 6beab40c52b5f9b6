import type { Request } from '../model/exchange.ts'
import { shellQuoted } from '../platform/shell.ts'

/** A single argument of a program may have 128 KiB on Linux. */
const longestArgument = 100_000

/** What acts on a terminal, or can't stand in an argument at all; the joiner of emoji may stay. Read at first use: it is costly. */
const active = () => /[^\P{C}\n\t\u200d]|[\p{Zl}\p{Zp}\ufffd]/u

/**
 * The request as a command that a shell runs as it stands. The key is left to the variable that holds it, whatever the
 * request has in its place.
 */
export function curlCommand({ method, url, headers, body }: Request): string {
  const words = ['curl', '--silent', '--show-error', '--globoff']
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET' || body !== undefined) words.push('--request', method)
  for (const [name, value] of Object.entries(headers)) {
    words.push('--header', name === 'authorization' ? keyHeader : shellQuoted(`${name}: ${value}`))
  }
  // Without one of its own, curl would call the body a form.
  if (body !== undefined && headers['content-type'] === undefined) words.push('--header', shellQuoted('content-type:'))
  const text = body === undefined ? undefined : textOf(body)
  if (text !== undefined) words.push('--data-raw', shellQuoted(text))
  const isEncoded = body !== undefined && text === undefined
  if (isEncoded) words.push('--data-binary', '@-')
  words.push(shellQuoted(url))
  const command = words.join(' ')
  return isEncoded
    ? `printf %s ${shellQuoted(Buffer.from(body).toString('base64'))} | base64 --decode | ${command}`
    : command
}

const keyHeader = '"authorization: Bearer $PETSTORE_API_KEY"'

/** The body as it can stand in a command line; undefined where it can't. */
function textOf(body: string | Uint8Array): string | undefined {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  return Buffer.byteLength(text) > longestArgument || active().test(text) ? undefined : text
}
