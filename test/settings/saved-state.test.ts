import { describe, expect, test } from 'vitest'
import type { SavedState } from '../../src/settings/config-text.ts'
import {
  changeEnvironment,
  checkSettableName,
  removeAllKeys,
  removeKey,
  savedEnvironment,
  saveKey,
  saveLocalKey,
  unsetEnvironment,
  useEnvironment,
  withPreference
} from '../../src/settings/saved-state.ts'

const bound = { baseUrl: 'https://a.example/v1', apiKey: 'key', keyOrigins: ['https://a.example'] }
const marked = { ...bound, readOnly: true, idempotent: true } as const
const state: SavedState = { later: 1, environments: { production: bound, demo: {} } }
const usage = expect.objectContaining({ code: 'usage' })

test('the default environment must exist', () => {
  expect(useEnvironment(state, 'demo')).toEqual({ ...state, environment: 'demo' })
  expect(useEnvironment({}, 'local')).toEqual({ environment: 'local' })
  for (const name of ['nowhere', 'constructor']) {
    expect(() => useEnvironment(state, name)).toThrow(usage)
    expect(() => unsetEnvironment(state, name)).toThrow(usage)
    expect(savedEnvironment(state, name)).toEqual({})
  }
})

test('a word that may be a key is repeated in no error', () => {
  expect(() => useEnvironment(state, 'sk_live_0123456789')).toThrow('sk_live_0123456789')
  expect(() => useEnvironment(state, 'sk_live_0123456789abcdef')).toThrow("named '***'")
})

/** What a change leaves of the key, of --read-only and of --idempotent. */
test.each<[Parameters<typeof changeEnvironment>[2], string]>([
  [{ baseUrl: 'https://a.example/v2' }, 'key readOnly idempotent'],
  [{ messagesUrl: 'https://a.example' }, 'key readOnly idempotent'],
  [{ messagesUrl: 'https://b.example' }, 'key readOnly'],
  [{ baseUrl: 'https://b.example/v1' }, 'readOnly'],
  [{ baseUrl: 'https://a.example:8443/v1' }, 'readOnly'],
  [{ baseUrl: 'http://a.example/v1' }, 'readOnly'],
  [{ baseUrl: 'https://b.example/v1', idempotent: true }, 'readOnly idempotent'],
  [{ idempotent: false }, 'key readOnly'],
  [{ readOnly: false }, 'key idempotent']
])('%j leaves: %s', (change, left) => {
  const before = { environments: { demo: marked } }
  const saved = savedEnvironment(changeEnvironment(before, 'demo', change), 'demo')
  const marks = (['readOnly', 'idempotent'] as const).filter(name => saved[name])
  expect([saved.apiKey ?? [], marks].flat().join(' ')).toBe(left)
  expect(saved.keyOrigins !== undefined).toBe(left.startsWith('key'))
})

test('without a URL, an environment cannot be idempotent', () => {
  expect(() => changeEnvironment(state, 'demo', { idempotent: true })).toThrow(
    expect.objectContaining({ code: 'local', hint: expect.stringContaining('--env demo') })
  )
})

test.each(['local', '', '-x', 'a b', 'a/b', '__proto__', 'é', 'a;b', 'x'.repeat(20), 'a\n'])(
  'no environment with URLs is named %j',
  name => {
    expect(() => checkSettableName(name)).toThrow(usage)
    expect(() => checkSettableName('x'.repeat(19))).not.toThrow()
  }
)

describe('removing an environment', () => {
  test('removes everything saved for it, and makes production the default', () => {
    expect(unsetEnvironment({ ...state, environment: 'demo' }, 'demo')).toEqual({
      ...state,
      environment: undefined,
      environments: { production: bound }
    })
    expect(unsetEnvironment({ ...state, environment: 'production' }, 'demo').environment).toBe(
      'production'
    )
  })
})

describe('a key', () => {
  test('is bound to the URLs; the first environment becomes the default', () => {
    const addresses = { baseUrl: 'https://a.example/v1', messagesUrl: 'https://m.example' }
    const keyOrigins = ['https://a.example', 'https://m.example']
    expect(saveKey({}, 'staging', 'new', addresses)).toEqual({
      environment: 'staging',
      environments: { staging: { ...addresses, apiKey: 'new', keyOrigins } }
    })
  })
  test('for another URL loses what was known about the old one, and keeps the default', () => {
    const before = { environment: 'demo', environments: { staging: marked } }
    const baseUrl = 'https://b.example/v1'
    const keyOrigins = ['https://b.example']
    expect(saveKey(before, 'staging', 'new', { baseUrl })).toEqual({
      environment: 'demo',
      environments: { staging: { baseUrl, apiKey: 'new', keyOrigins, readOnly: true } }
    })
  })
  test('of the local service is bound to none, and sets no default', () => {
    expect(saveLocalKey({}, 'new')).toEqual({ environments: { local: { apiKey: 'new' } } })
  })
  test('is removed with its origins, alone or with all others but that of the local service', () => {
    const keyless = { ...state, environments: { production: { baseUrl: bound.baseUrl }, demo: {} } }
    expect(removeKey(state, 'production')).toEqual(keyless)
    expect(removeKey(state, 'demo')).toEqual(state)
    expect(() => removeKey(state, 'nowhere')).toThrow(usage)
    expect(removeAllKeys(saveLocalKey(state, 'k'))).toEqual({
      ...keyless,
      environments: { ...keyless.environments, local: { apiKey: 'k' } }
    })
  })
})

test('a preference is saved and removed, and nothing else changes', () => {
  const saved = withPreference(state, 'timeout', 7)
  expect(saved).toEqual({ ...state, preferences: { timeout: 7 } })
  expect(withPreference(saved, 'timeout', undefined)).toEqual({ ...state, preferences: {} })
})
