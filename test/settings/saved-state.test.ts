import { describe, expect, test } from 'vitest'
import {
  checkSettableName,
  removeAllKeys,
  removeKey,
  type SavedState,
  savedEnvironment,
  saveKey,
  saveLocalKey,
  setAddresses,
  unsetEnvironment,
  useEnvironment,
  withPreference
} from '../../src/settings/saved-state.ts'

const bound = { baseUrl: 'https://a.example/v1', apiKey: 'key', keyOrigins: ['https://a.example'] }
const state: SavedState = { environments: { production: bound, demo: {} } }
const usage = expect.objectContaining({ code: 'usage' })

const keyAfter = (before: SavedState, addresses: Parameters<typeof setAddresses>[2]) =>
  setAddresses(before, 'demo', addresses).environments?.demo?.apiKey

test('the default environment is saved by name, and must exist', () => {
  expect(useEnvironment(state, 'demo')).toEqual({ ...state, environment: 'demo' })
  expect(useEnvironment({}, 'local')).toEqual({ environment: 'local' })
  expect(() => useEnvironment(state, 'nowhere')).toThrow(usage)
})

describe('setting URLs', () => {
  test('creates an environment and leaves the others and unknown fields unchanged', () => {
    const before = { ...state, later: 1 }
    expect(setAddresses(before, 'new', { baseUrl: 'https://n.example' })).toEqual({
      ...before,
      environments: { ...state.environments, new: { baseUrl: 'https://n.example' } }
    })
  })

  test.each([
    ['the same origin', { baseUrl: 'https://a.example/v2' }, false],
    ['another host', { baseUrl: 'https://b.example/v1' }, true],
    ['another port', { baseUrl: 'https://a.example:8443/v1' }, true],
    ['another scheme', { baseUrl: 'http://a.example/v1' }, true],
    ['a URL where none was saved', { messagesUrl: 'https://b.example' }, false],
    ['the same origin for messages', { messagesUrl: 'https://a.example' }, false],
    ['no URL', {}, false]
  ])('%s', (_case, addresses, isKeyRemoved) => {
    const changed = setAddresses(state, 'production', addresses)
    const { apiKey, keyOrigins, ...rest } = bound
    expect(changed.environments?.production).toEqual({
      ...rest,
      ...addresses,
      ...(isKeyRemoved ? {} : { apiKey, keyOrigins })
    })
  })

  test('removes a key whose old URL is invalid, and does not fail without a key', () => {
    const keyless = setAddresses(state, 'demo', { baseUrl: 'https://a.example' })
    expect(
      setAddresses(keyless, 'demo', { baseUrl: 'https://b.example' }).environments?.demo
    ).toEqual({
      baseUrl: 'https://b.example'
    })
    const invalid: SavedState = { environments: { demo: { ...bound, baseUrl: 'invalid' } } }
    expect(keyAfter(invalid, { baseUrl: 'https://b.example' })).toBeUndefined()
  })

  test.each([
    'local',
    '',
    '-x',
    '.x',
    'a b',
    'a/b',
    '__proto__',
    'é',
    'a;b',
    'x'.repeat(65),
    'a\n'
  ])('is refused for the name %j', name => {
    expect(() => checkSettableName(name)).toThrow(usage)
  })
})

test('a name has at most 19 characters', () => {
  expect(() => checkSettableName('x'.repeat(19))).not.toThrow()
  expect(() => checkSettableName('x'.repeat(20))).toThrow('at most 19 characters')
})

test('nothing is saved for a name that every object has', () => {
  expect(savedEnvironment(state, 'constructor')).toEqual({})
})

describe('removing an environment', () => {
  test('removes everything saved for it, also as the default environment', () => {
    expect(unsetEnvironment({ ...state, environment: 'demo' }, 'demo')).toEqual({
      environments: { production: bound }
    })
  })
  test('of the default environment makes production the default', () => {
    expect(unsetEnvironment({ ...state, environment: 'production' }, 'production')).toEqual({
      environments: { demo: {} }
    })
  })
  test('leaves local as the default, because it loses only its data', () => {
    const local = { ...saveLocalKey({}, 'key'), environment: 'local' }
    expect(unsetEnvironment(local, 'local')).toEqual({ environment: 'local', environments: {} })
  })
  test('without anything saved for it is the same state', () => {
    expect(unsetEnvironment(state, 'staging')).toBe(state)
  })
  test('is refused if the environment does not exist', () => {
    expect(() => unsetEnvironment(state, 'nowhere')).toThrow(usage)
    expect(() => unsetEnvironment({}, 'constructor')).toThrow(usage)
  })
})

describe('saving a key', () => {
  test('binds it to the URLs, and makes the first environment the default', () => {
    const addresses = { baseUrl: 'https://a.example/v1', messagesUrl: 'https://m.example' }
    expect(saveKey({}, 'staging', 'new', addresses)).toEqual({
      environment: 'staging',
      environments: {
        staging: {
          ...addresses,
          apiKey: 'new',
          keyOrigins: ['https://a.example', 'https://m.example']
        }
      }
    })
  })
  test('binds it to the URLs that are saved now, and does not change the default environment', () => {
    const changed = saveKey({ ...state, environment: 'demo' }, 'production', 'new', {
      baseUrl: 'https://b.example'
    })
    expect(changed.environment).toBe('demo')
    expect(changed.environments?.production).toEqual({
      baseUrl: 'https://b.example',
      apiKey: 'new',
      keyOrigins: ['https://b.example']
    })
  })
  test('ignores a saved URL that is invalid', () => {
    const invalid: SavedState = { environments: { demo: { messagesUrl: 'invalid' } } }
    expect(
      saveKey(invalid, 'demo', 'new', { baseUrl: 'https://a.example' }).environments?.demo
        ?.keyOrigins
    ).toEqual(['https://a.example'])
  })
  test("of the local service does not bind it, and does not make 'local' the default", () => {
    expect(saveLocalKey({}, 'new')).toEqual({ environments: { local: { apiKey: 'new' } } })
  })
})

describe('removing keys', () => {
  test('of one environment removes its key and its origins', () => {
    expect(removeKey(state, 'production')).toEqual({
      environments: { production: { baseUrl: bound.baseUrl }, demo: {} }
    })
    expect(removeKey(state, 'demo')).toBe(state)
    expect(() => removeKey(state, 'nowhere')).toThrow(usage)
  })
  test('of all environments removes every key, including the local one', () => {
    const all = saveLocalKey(state, 'local-key')
    expect(JSON.stringify(removeAllKeys(all))).not.toMatch(/key/i)
    for (const keyless of [{ environments: { demo: {} } }, {}])
      expect(removeAllKeys(keyless)).toBe(keyless)
  })
})

test('a new messages URL removes the key only if its origin is different', () => {
  const saved: SavedState = {
    environments: { demo: { ...bound, messagesUrl: 'https://m.example' } }
  }
  expect(keyAfter(saved, { messagesUrl: 'https://m.example/x' })).toBe('key')
  expect(keyAfter(saved, { messagesUrl: 'https://n.example' })).toBeUndefined()
})

test('saving and removing a preference changes nothing else', () => {
  const state = { environment: 'staging', later: 1, environments: { demo: { apiKey: 'key' } } }
  const saved = withPreference(state, 'timeout', 7)
  expect(saved).toEqual({ ...state, preferences: { timeout: 7 } })
  const both = withPreference(saved, 'retries', 0)
  expect(both).toEqual({ ...state, preferences: { timeout: 7, retries: 0 } })
  expect(withPreference(both, 'timeout', undefined)).toEqual({
    ...state,
    preferences: { retries: 0 }
  })
})

test('a preference with the same value is the same state', () => {
  const state = { preferences: { timeout: 7 } }
  expect(withPreference(state, 'timeout', 7)).toBe(state)
  expect(withPreference(state, 'retries', undefined)).toBe(state)
  expect(withPreference({}, 'retries', undefined)).toEqual({})
})
