import { describe, expect, test } from 'vitest'
import { checkJq, testByJq } from '../../src/output/jq.ts'
import { parseJson } from '../../src/text/json.ts'
import { activeCharacter, awkwardNames, hostileNames } from './hostile.ts'
import { type Case, outputOf } from './hosts.ts'

/** What `--jq` prints for this JSON. */
async function jqOf(json: string, expression: string, wanted: Case = {}) {
  const { output, read } = outputOf({ ...wanted, jq: expression })
  const failure = await output.json(parseJson(json), {}).then(
    () => undefined,
    (error: unknown) => error
  )
  return { text: (await read()).stdout, failure }
}

describe('--jq', () => {
  test.each([
    ['the unchanged value', '{"a":[1, "x"]}', '.', '{"a":[1,"x"]}\n'],
    ['strings raw', '["a","b"]', '.[]', 'a\nb\n'],
    ['a line per result', '[1,null,[2]]', '.[]', '1\nnull\n[2]\n'],
    ['spaces around a string', '[" a ","\\n"]', '.[]', ' a \n\n\n'],
    ['functions of jq', '["b","a"]', 'sort | join("/") | @base64', 'YS9i\n'],
    ['nothing about this machine', '1', '$ENV.PETSTORE_API_KEY', 'null\n']
  ])('prints %s', async (_what, json, expression, text) => {
    expect(await jqOf(json, expression)).toEqual({ text, failure: undefined })
  })

  test.each(['9007199254740993', '-9223372036854775808'])('passes %s through', async id => {
    const { text } = await jqOf(`[{"id":${id}}]`, '.[] | .id, {id}, [.id], "\\(.id)"')
    expect(text).toBe(`${id}\n{"id":${id}}\n[${id}]\n${id}\n`)
  })

  test('prints every hostile name exactly in a pipe, and harmless in JSON and a terminal', async () => {
    // jq refuses half of a surrogate pair.
    const hostile = hostileNames.filter(([what]) => !what.includes('surrogate'))
    const names = [...hostile.map(([, name]) => name), ...awkwardNames]
    const json = JSON.stringify(names)
    const exact = names.map(name => `${name}\n`).join('')
    expect((await jqOf(json, '.[]')).text).toBe(exact)
    expect((await jqOf(json, '.')).text.trimEnd()).not.toMatch(activeCharacter)
    const inTerminal = (await jqOf(json, '.[]', { isTerminal: true })).text
    expect(inTerminal.replaceAll(/[\r\n\t]/g, '')).not.toMatch(activeCharacter)
  })

  test.each([
    [
      '[1]',
      '.[0], .a',
      '1\n',
      '--jq: Cannot index array with string ("a") (the value is of the type array)'
    ],
    // A part of a key could not be masked.
    [
      '["ghp_0123456789abcdefghijABCDEF"]',
      '.[0] + 1',
      '',
      '--jq: string and number (1) cannot be added (the value is of the type array)'
    ],
    ['["\\ud800"]', '.', '', '--jq: parse error: Invalid'],
    ['1', 'error("no such pet")', '', '--jq: no such pet (the value is of the type number)']
  ])('of %s ends %s with 9, after what it gave before', async (json, expression, text, words) => {
    const { text: printed, failure } = await jqOf(json, expression)
    expect(printed).toBe(text)
    expect(failure).toMatchObject({ exitCode: 9, message: expect.stringContaining(words) })
  })

  test.each(['.', 'error', 'halt_error', 'def f: f; f', 'input'])(
    'checks %s without running it',
    async expression => {
      await expect(checkJq(expression)).resolves.toBeUndefined()
    }
  )

  test.each([
    ['.[', '--jq: syntax error, unexpected end of file'],
    ['nothing_like_it', 'nothing_like_it/0 is not defined'],
    ['', 'Top-level program not given'],
    ['-h', 'h/0 is not defined'],
    ['include "secrets"; .', 'module not found']
  ])('refuses %j with 2 and the message of jq', async (expression, words) => {
    const refusal = { exitCode: 2, message: expect.stringContaining(words) }
    await expect(checkJq(expression)).rejects.toMatchObject(refusal)
  })
})

describe('--until', () => {
  const { interruption } = outputOf()
  const pets = [{ id: 1n, status: 'sold' }]

  test.each([
    ['any(.[]; .status == "sold")', true],
    ['length > 1', false],
    ['.[0].owner', false],
    ['empty', false],
    ['false, true', true],
    ['.[0]', true]
  ])('%s is %s', async (expression, isTrue) => {
    expect(await testByJq(pets, expression, interruption)).toBe(isTrue)
  })

  test.each([
    ['length', 'a number or a list is always true in jq; compare it, such as length > 0'],
    ['map(select(.id == 7))', 'a number or a list'],
    ['.a', 'Cannot index array']
  ])('%s is refused with 9', async (expression, words) => {
    const refusal = { exitCode: 9, message: expect.stringContaining(words) }
    await expect(testByJq(pets, expression, interruption)).rejects.toMatchObject(refusal)
  })
})
