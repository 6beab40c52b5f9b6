import { describe, expect, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { parseJson } from '../../src/model/json.ts'
import { viewOf } from '../../src/output/formats.ts'
import { checkJq, printByJq } from '../../src/output/jq.ts'
import { activeCharacter, awkwardNames, hostileNames } from './hostile.ts'
import { recordingHost, undisturbed } from './hosts.ts'

const pipe = { isTerminal: false }

async function runJq(json: string, expression: string, look: { isTerminal: boolean }) {
  const { host, read } = recordingHost(look)
  const remarks: string[] = []
  const notice = async (_code: string, message: string) => void remarks.push(message)
  const view = await viewOf(host, { format: 'ndjson', color: 'never' }, [])
  const { interruption } = undisturbed
  const context = { host, report: { notice }, interruption, view, format: 'ndjson' } as const
  const failure = await printByJq([parseJson(json)], expression, context).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    }
  )
  return { text: (await read()).stdout, remarks, failure }
}

const textOf = async (json: string, expression: string, look = pipe) =>
  (await runJq(json, expression, look)).text

describe('printByJq', () => {
  test.each([
    ['the unchanged value', '{"a":[1, "x"]}', '.', '{"a":[1,"x"]}\n'],
    ['strings raw', '["a","b"]', '.[]', 'a\nb\n'],
    ['a line per result', '[1,null,[2]]', '.[]', '1\nnull\n[2]\n'],
    ['nothing', '[]', '.[]', ''],
    ['an empty string', '[""]', '.[0]', '\n'],
    ['spaces around a string', '[" a ","\\n"]', '.[]', ' a \n\n\n'],
    ['the result of an expression that begins with a dash', '2', '-1 + .', '1\n'],
    ['the result of an expression with a comment', '1', '. # all of it', '1\n'],
    ['the result of jq functions', '["b","a"]', 'sort | join("/") | @base64', 'YS9i\n'],
    [
      'the result of functions and variables in the expression',
      '1',
      'def twice: . * 2; twice as $x | {$x}',
      '{"x":2}\n'
    ]
  ])('prints %s', async (_what, json, expression, text) => {
    expect(await runJq(json, expression, pipe)).toEqual({ text, remarks: [], failure: undefined })
  })

  test.each(['9007199254740993', '-9223372036854775808', '9223372036854775807'])(
    'passes %s through',
    async id => {
      expect(await textOf(`[{"id":${id}}]`, '.[] | .id, {id}, [.id], "\\(.id)"')).toBe(
        `${id}\n{"id":${id}}\n[${id}]\n${id}\n`
      )
    }
  )

  test('returns every hostile or awkward name unchanged', async () => {
    const names = [...hostileNames.map(([, name]) => name), ...awkwardNames]
    const asBytes = names.map(name => Buffer.from(name).toString())
    const json = JSON.stringify(names)
    expect(await textOf(json, '.[]')).toBe(asBytes.map(name => `${name}\n`).join(''))
    const inJson = await textOf(json, '.')
    expect(JSON.parse(inJson)).toEqual(asBytes)
    expect(inJson.trimEnd()).not.toMatch(activeCharacter)
    const inTerminal = await textOf(json, '.[]', { isTerminal: true })
    expect(inTerminal.replaceAll(/[\r\n\t]/g, '')).not.toMatch(activeCharacter)
  })

  test('replaces a lone surrogate, but no pair and no escaped backslash', async () => {
    const text = await textOf(
      '["\\ud83d\\ude00", "\\\\ud800", "\\ud800x", "\\udc00", "\\uD800\\uD800"]',
      '.[]'
    )
    expect(text).toBe('😀\n\\ud800\n\ufffdx\n\ufffd\n\ufffd\ufffd\n')
  })

  test('fails with the message of jq after printing the earlier results', async () => {
    const { text, failure } = await runJq('[1]', '.[0], .a', pipe)
    expect(text).toBe('1\n')
    expect(failure).toMatchObject({ code: 'local', exitCode: 9 })
    expect(failure?.message).toBe(
      '--jq: Cannot index array with string ("a") (the value is an array)'
    )
  })

  test('fails if jq runs out of memory, and jq prints nothing', async () => {
    const printed = vi.spyOn(console, 'error')
    expect((await runJq('[1]', 'def nest: [nest]; nest', pipe)).failure).toMatchObject({
      code: 'local',
      exitCode: 9,
      message: '--jq: jq ran out of memory'
    })
    expect(printed.mock.calls).toEqual([])
    expect(await textOf('[1]', '.[0]')).toBe('1\n')
  })

  test.each([
    ['.[0].a', '(the value is an array)'],
    ['error("no such pet")', '--jq: no such pet'],
    ['"stop\\n" | halt_error', '--jq: stop'],
    ['halt_error(1) | empty', '--jq: [1]'],
    ['error(null)', 'null']
  ])('fails on %s', async (expression, message) => {
    expect((await runJq('[1]', expression, pipe)).failure?.message).toContain(message)
  })

  test('passes on what the expression writes to stderr', async () => {
    expect(await runJq('1', 'debug', pipe)).toEqual({
      text: '1\n',
      remarks: ['["DEBUG:",1]'],
      failure: undefined
    })
  })

  test('gives the expression no information about this machine', async () => {
    expect(await textOf('1', 'env.HOME, $ENV.PETSTORE_API_KEY')).toBe('/home/web_user\nnull\n')
    expect((await runJq('1', '"a" | input_filename', pipe)).text).toBe('/dev/stdin\n')
  })

  test('processes megabytes', async () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `name ${index} ${'x'.repeat(50)}`)
    expect(await textOf(JSON.stringify(names), '.[]')).toBe(`${names.join('\n')}\n`)
  })
})

describe('checkJq', () => {
  test.each(['.', '.[] | .name', 'error', 'halt_error', 'def f: f; f', 'input'])(
    'accepts %s without running it',
    async expression => {
      await expect(checkJq(expression)).resolves.toBeUndefined()
    }
  )

  test.each([
    ['.[', /^--jq: syntax error, unexpected end of file at <top-level>, line 1, column 2: \.\[$/],
    ['nothing_like_it', 'nothing_like_it/0 is not defined'],
    ['$x', '$x is not defined'],
    ['', 'Top-level program not given'],
    ['# all of it', 'Top-level program not given'],
    ['-h', 'h/0 is not defined'],
    ['include "secrets"; .', 'module not found'],
    ['. \0 | error', 'NUL']
  ])('refuses %j with the message of jq', async (expression, words) => {
    await expect(checkJq(expression)).rejects.toMatchObject({ code: 'usage', exitCode: 2 })
    await expect(checkJq(expression)).rejects.toThrow(words)
  })
})
