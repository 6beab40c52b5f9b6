import { Failure } from '../failure.ts'

/** A key that can be sent in a header, without the newline that `echo` or an editor put at its end. */
export function checkKey(text: string, source = 'the key'): string {
  const key = text.replace(/\r?\n$/, '')
  if (key === '') throw new Failure('auth', `${source} is empty`)
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Failure('auth', `${source} can't be sent: a key is printable ASCII without spaces`)
  }
  return key
}

/** Tells keys apart without showing them: the first eight hex digits of the key's SHA-256. */
export async function fingerprint(key: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
