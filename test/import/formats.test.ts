import { expect, test } from 'vitest'
import { formatByName, layoutOf } from '../../src/import/formats.ts'

test.each([
  ['pets.csv', 'csv'],
  ['pets.NDJSON', 'ndjson'],
  ['pets.jsonl', 'ndjson'],
  ['pets.json', 'json'],
  ['pets.txt', undefined]
])('the name %s stands for %s', (path, format) => {
  expect(formatByName(path)).toBe(format)
})

test.each([
  [' \n[1]', 'json'],
  ['\ufeff{}', 'ndjson'],
  ['name', 'csv']
])('a text like %j is %s', (text, format) => {
  expect(layoutOf(text, undefined)?.format).toBe(format)
})
