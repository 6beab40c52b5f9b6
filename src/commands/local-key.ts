import { type SavedState, savedEnvironment, saveLocalKey } from '../settings/saved-state.ts'
import type { Store } from '../settings/store.ts'

/** The API key of the local service, created at its first use. */
export async function localKey(store: Store): Promise<string> {
  const saved = keyIn(await store.read())
  if (saved !== undefined) return saved
  const { randomBytes } = await import('node:crypto')
  const fresh = `local_${randomBytes(24).toString('base64url')}`
  // Another program may create one at the same time: the first one counts.
  const { after } = await store.change(before =>
    keyIn(before) === undefined ? saveLocalKey(before, fresh) : before
  )
  return keyIn(after) ?? fresh
}

const keyIn = (state: SavedState) => savedEnvironment(state, 'local').apiKey
