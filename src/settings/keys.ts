import { Failure } from '../failure.ts'
import { requireSendableKey } from '../model/endpoint.ts'

/** An API key that can be sent in a header, without the final newline of `echo` or an editor. */
export function checkKey(text: string, source = 'the API key'): string {
  const key = text.replace(/\r?\n$/, '')
  if (key === '') throw new Failure('auth', `${source} is empty`)
  requireSendableKey(key, source)
  return key
}

/** Tells API keys apart without showing them: 32 bits of a hash are enough for that, and too few to guess a key. */
export async function fingerprint(key: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
