import { describe, expect, test } from 'vitest'
import { documentedVariables, preferenceNames, settingTable } from '../../src/settings/table.ts'
import { oneOf } from '../../src/settings/value-types.ts'

test('what users have saved can still be saved', () => {
  expect(preferenceNames).toEqual(expect.arrayContaining(['output', 'timeout', 'retries', 'color']))
})

describe('a text that stands for a value', () => {
  test.each([
    ['output', 'ndjson', 'ndjson'],
    ['timeout', '30', 30],
    ['timeout', '0.5', 0.5],
    ['timeout', '.5', 0.5],
    ['timeout', '86400', 86_400],
    ['retries', '0', 0],
    ['retries', '100', 100],
    ['color', 'never', 'never'],
  ] as const)('%s %s', (name, text, value) => {
    expect(settingTable[name].type.read(text)).toBe(value)
    expect(settingTable[name].type.accepts(value)).toBe(true)
  })
})

describe('a text that stands for none', () => {
  test.each([
    ['output', ['', 'xml', 'JSON', ' json', 'toString']],
    [
      'timeout',
      ['', '0', '0.0', '-1', '86401', '1e3', '0x10', ' 1', '1 ', '1s', 'NaN', 'Infinity', '1_000', '0.0001', '.'],
    ],
    ['retries', ['', '-1', '1.5', '1.0', '101', '1e1', 'three', ' 1', '99999999999999999999']],
    ['color', ['', 'true', 'on', 'Always']],
  ] as const)('%s', (name, texts) => {
    for (const text of texts) expect([text, settingTable[name].type.read(text)]).toEqual([text, undefined])
  })
})

test('a value of the wrong type or range is not accepted', () => {
  for (const name of preferenceNames) {
    for (const value of [null, true, {}, [], -1, Number.NaN, Number.POSITIVE_INFINITY, 1e9, 'table!', undefined]) {
      expect([name, value, settingTable[name].type.accepts(value)]).toEqual([name, value, false])
    }
  }
})

test('field names are a list of texts', () => {
  expect(settingTable.fields.type.accepts(['id', 'name'])).toBe(true)
  expect(settingTable.fields.type.accepts('id,name')).toBe(false)
})

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])('choices %j are "%s" in a sentence', (choices, text) => {
  expect(oneOf(choices)).toBe(text)
})

test('the limits themselves are values', () => {
  expect(settingTable.timeout.type.accepts(0.001)).toBe(true)
  expect(settingTable.timeout.type.accepts(0.0009)).toBe(false)
  expect(settingTable.timeout.type.accepts(86_400)).toBe(true)
  expect(settingTable.retries.type.accepts(100)).toBe(true)
  for (const value of [true, false]) expect(settingTable.quiet.type.accepts(value)).toBe(true)
  expect(settingTable.quiet.type.accepts('true')).toBe(false)
})

test('the documented variables have a text each; others have none', () => {
  const documented = documentedVariables()
  expect(documented.every(({ about }) => about !== '')).toBe(true)
  const names = documented.map(({ name }) => name)
  expect(names).toContain('PETSTORE_TIMEOUT')
  expect(names).toContain('HTTPS_PROXY')
  for (const name of ['https_proxy', 'XDG_CONFIG_HOME']) expect(names).not.toContain(name)
})
