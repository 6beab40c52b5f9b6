import type { Context } from '../session/context.ts'
import type { SavedState } from '../settings/config-text.ts'
import { savedEnvironment, saveLocalKey } from '../settings/saved-state.ts'

/** The API key of the local service, created at its first use. */
export async function localKey({ settings, store }: Context): Promise<string> {
  const saved = settings.knownOrNew('local').apiKey
  if (saved !== undefined) return saved.value
  const { randomBytes } = await import('node:crypto')
  const fresh = `local_${randomBytes(24).toString('base64url')}`
  // Another program may create one at the same time: the first one counts.
  const { after } = await store.change(before =>
    keyIn(before) === undefined ? saveLocalKey(before, fresh) : before
  )
  return keyIn(after) ?? fresh
}

const keyIn = (state: SavedState) => savedEnvironment(state, 'local').apiKey
