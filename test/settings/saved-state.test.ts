import { expect, test } from 'vitest'
import { withoutPreference, withPreference } from '../../src/settings/saved-state.ts'

test('a preference is saved and removed, and everything else stays', () => {
  const state = { environment: 'staging', later: 1, environments: { demo: { apiKey: 'key' } } }
  const saved = withPreference(state, 'timeout', 7)
  expect(saved).toEqual({ ...state, preferences: { timeout: 7 } })
  const both = withPreference(saved, 'retries', 0)
  expect(both).toEqual({ ...state, preferences: { timeout: 7, retries: 0 } })
  expect(withoutPreference(both, 'timeout')).toEqual({ ...state, preferences: { retries: 0 } })
  expect(withoutPreference(saved, 'retries')).toBeUndefined()
  expect(withoutPreference(state, 'retries')).toBeUndefined()
})
