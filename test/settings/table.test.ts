import { expect, test } from 'vitest'
import { readConfigText } from '../../src/settings/config-text.ts'
import { settingTable } from '../../src/settings/table.ts'
import { variableNames } from '../support/variables.ts'

const savedAs = (name: string, json: string) =>
  readConfigText('', `{"preferences":{"${name}":${json}}}`).preferences

test.each([
  ['output', 'ndjson', 'ndjson'],
  ['timeout', '30', 30],
  ['timeout', '.5', 0.5],
  ['timeout', '0.001', 0.001],
  ['timeout', '86400', 86_400],
  ['retries', '0', 0],
  ['retries', '100', 100],
  ['color', 'never', 'never']
] as const)('%s %s is valid', (name, text, value) => {
  expect(settingTable[name].type.read(text)).toBe(value)
  expect(savedAs(name, JSON.stringify(value))).toEqual({ [name]: value })
})

test.each([
  ['output', ',xml,JSON, json,toString'],
  ['timeout', ',0,0.0,-1,86401,1e3,0x10, 1,1 ,1s,NaN,Infinity,1_000,0.0009,.'],
  ['retries', ',-1,1.5,1.0,101,1e1,three, 1,99999999999999999999'],
  ['color', ',true,on,Always']
] as const)('no %s is one of these: %s', (name, texts) => {
  const isRead = (text: string) => settingTable[name].type.read(text) !== undefined
  expect(texts.split(',').filter(isRead)).toEqual([])
})

test('every variable of the contract is documented', () => {
  const names =
    'PETSTORE_ENV PETSTORE_OUTPUT PETSTORE_DEBUG NO_COLOR FORCE_COLOR PETSTORE_TIMEOUT PETSTORE_RETRIES CI PETSTORE_READ_ONLY PETSTORE_API_KEY PETSTORE_BASE_URL PETSTORE_MESSAGES_URL PETSTORE_ALLOW_HTTP PETSTORE_CONFIG_DIR HTTPS_PROXY HTTP_PROXY NO_PROXY NODE_EXTRA_CA_CERTS'
  expect(names.split(' ').filter(name => !variableNames.includes(name))).toEqual([])
})
