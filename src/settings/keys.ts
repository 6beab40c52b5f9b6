import { Failure } from '../failure.ts'
import { requireSendableKey } from '../model/endpoint.ts'

/** A key that can be sent in a header, without the newline that `echo` or an editor put at its end. */
export function checkKey(text: string, source = 'the key'): string {
  const key = text.replace(/\r?\n$/, '')
  if (key === '') throw new Failure('auth', `${source} is empty`)
  requireSendableKey(key, source)
  return key
}

/** Tells keys apart without showing them. 32 bits of a hash are enough for that, and too few to give a key away. */
export async function fingerprint(key: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
