import { expect, test } from 'vitest'
import { concealed, urlPasswords, variablePasswords } from '../../src/text/typed-secrets.ts'
import { rowsOf } from '../cli/typing.ts'

const words = rowsOf(`
--api-key=abcdefgh => --api-key=***
X-Api-Key-Id: abcdefgh => X-Api-Key-Id: ***
token  =  abcdefgh => token  =  ***
key=abc => key=abc
0123456789abcdefghij => ***
0123456789abcdefghi => 0123456789abcdefghi
--name=0123456789abcdefghij => --name=***
a/b=0123456789abcdefghij => ***
0123456789-https://abc => ***
0123456789.json.abcdef => ***
all-the-pets-of-2025.json => all-the-pets-of-2025.json
a name with several words => a name with several words
{"name":"Rex","categoryId":2} => {"name":"Rex","categoryId":2}
{"apiKey":"0123456789abcdefghij"} => {"apiKey":***
12345678901234567890 => 12345678901234567890
-9223372036854775809 => -9223372036854775809
123456789012345678901 => ***
http://pets.example/v1/pets => http://pets.example/v1/pets
https://pets.example/@team => https://pets.example/@team
http://me:pw@h.io => ***
--file=http://me:pw@h.io => --file=***
`)

test.each(words)('the word %j is shown as %j', (word, shown) => {
  expect(concealed(`unknown: '${word}'`, [word])).toBe(`unknown: '${shown}'`)
})

test.each([
  [{ HTTPS_PROXY: 'http://me:pass@proxy.example' }, ['pass']],
  [{ https_proxy: 'http://me:p%40ss%zz@proxy.example' }, ['p%40ss%zz', 'p@ss%zz']],
  [{ ALL_PROXY: 'http://me:a/b#c?d@e@proxy.example' }, ['a/b#c?d@e']],
  [{ HTTP_PROXY: 'http://token@proxy.example' }, ['token']],
  [{ HTTP_PROXY: 'http://proxy.example', PROXY: 'http://me:pass@x' }, []],
  [{ PETSTORE_ENV: 'https://me:pass@h.io' }, ['pass']]
])('the passwords in the variables %j', (env, passwords) => {
  expect([...new Set(variablePasswords(env))]).toEqual(passwords)
})

test.each([
  ['--file=https://me:pa=ss@h.io', ['pa=ss']],
  ['https:/me:pass@h.io', ['pass']],
  ['name=me@h.io', []],
  ['x'.repeat(1_000_000), []]
])('the passwords in the word %.40s', (word, passwords) => {
  expect([...new Set(urlPasswords([word]))]).toEqual(passwords)
})
