import { describe, expect, test } from 'vitest'
import { readSavedState } from '../../src/settings/saved-state-schema.ts'
import { documentedVariables, preferenceNames, settingTable } from '../../src/settings/table.ts'
import { oneOf } from '../../src/settings/value-types.ts'

test('no preference that users may have saved is missing', () => {
  expect(preferenceNames).toEqual(expect.arrayContaining(['output', 'timeout', 'retries', 'color']))
})

describe('a valid text', () => {
  test.each([
    ['output', 'ndjson', 'ndjson'],
    ['timeout', '30', 30],
    ['timeout', '0.5', 0.5],
    ['timeout', '.5', 0.5],
    ['timeout', '86400', 86_400],
    ['retries', '0', 0],
    ['retries', '100', 100],
    ['color', 'never', 'never']
  ] as const)('%s %s', (name, text, value) => {
    expect(settingTable[name].type.read(text)).toBe(value)
    expect(readSavedState(JSON.stringify({ preferences: { [name]: value } }))).toEqual({
      state: { preferences: { [name]: value } }
    })
  })
})

describe('an invalid text', () => {
  test.each([
    ['output', ['', 'xml', 'JSON', ' json', 'toString']],
    [
      'timeout',
      [
        '',
        '0',
        '0.0',
        '-1',
        '86401',
        '1e3',
        '0x10',
        ' 1',
        '1 ',
        '1s',
        'NaN',
        'Infinity',
        '1_000',
        '0.0001',
        '.'
      ]
    ],
    ['retries', ['', '-1', '1.5', '1.0', '101', '1e1', 'three', ' 1', '99999999999999999999']],
    ['color', ['', 'true', 'on', 'Always']]
  ] as const)('%s', (name, texts) => {
    for (const text of texts)
      expect([text, settingTable[name].type.read(text)]).toEqual([text, undefined])
  })
})

describe('a value of the wrong type or range is not accepted in the config file', () => {
  test.each(preferenceNames)('%s', name => {
    for (const value of [
      'null',
      'true',
      '{}',
      '{"toString":1}',
      '[]',
      '["json"]',
      '-1',
      '1e9',
      '1e400',
      '"table!"',
      '"30"'
    ]) {
      const { expected } = settingTable[name].type
      expect([value, readSavedState(`{"preferences":{"${name}":${value}}}`)]).toEqual([
        value,
        { problem: `has the wrong shape: 'preferences.${name}' must be ${expected}` }
      ])
    }
  })
})

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c']
])('choices %j are "%s" in a sentence', (choices, text) => {
  expect(oneOf(choices)).toBe(text)
})

test('the limits themselves are valid', () => {
  const isRead = (name: 'timeout' | 'retries', value: number) =>
    settingTable[name].type.read(String(value)) === value &&
    'state' in readSavedState(JSON.stringify({ preferences: { [name]: value } }))
  expect(isRead('timeout', 0.001)).toBe(true)
  expect(isRead('timeout', 0.0009)).toBe(false)
  expect(isRead('timeout', 86_400)).toBe(true)
  expect(isRead('retries', 100)).toBe(true)
})

test('every documented variable has a description', () => {
  const documented = documentedVariables()
  expect(documented.every(({ about }) => about !== '')).toBe(true)
  const names = documented.map(({ name }) => name)
  expect(names).toContain('PETSTORE_TIMEOUT')
  expect(names).toContain('HTTPS_PROXY')
  for (const name of ['https_proxy', 'XDG_CONFIG_HOME']) expect(names).not.toContain(name)
})
