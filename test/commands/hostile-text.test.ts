import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

const key = 'sk_test_12345678'

async function environmentWith(body: string) {
  const server = await recordingServer({ headers: { 'content-type': 'application/json' }, body })
  return { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
}

/** Each name would take minutes if the time grew with the square of the length. */
const longNames: readonly (readonly [what: string, name: string])[] = [
  ['spaces', ' '.repeat(400_000)],
  ['zero-width joiners', '\u200d'.repeat(300_000)],
  ['combining marks', `a${'\u0301'.repeat(300_000)}`],
  ['combining marks and joiners', `a${'\u0301\u200d'.repeat(150_000)}b`],
  ['halves of flags', '🇯'.repeat(150_000)],
  ['wide characters', '猫'.repeat(300_000)],
  ['escape sequences', '\u001b['.repeat(150_000)],
  ['quotes', '"'.repeat(300_000)],
  ['backslashes', '\\'.repeat(300_000)],
  ['line breaks', '\r\n'.repeat(150_000)]
]

describe.each(longNames)('a name of %s', (_, name) => {
  const rex = { id: 2, name: 'Rex', categoryId: 2, status: 'sold' }
  const body = JSON.stringify([{ id: 1, name, categoryId: 2, status: 'sold' }, rex])

  test('is truncated in a table in a terminal', async () => {
    const { code, stdout } = await runCli(['pets', 'list', '--color', 'always'], {
      env: await environmentWith(body),
      terminal: true
    })
    expect(code).toBe(0)
    expect(stdout.length).toBeLessThan(1000)
  })

  test('does not pad the other rows of a table in a pipe', async () => {
    const { code, stdout } = await runCli(['pets', 'list', '-o', 'table'], {
      env: await environmentWith(body)
    })
    expect(code).toBe(0)
    expect(stdout.split('\n')[2]?.length).toBeLessThan(2000)
  })

  test.each(['json', 'csv'])('is exact as %s', async format => {
    const { code, stdout } = await runCli(['pets', 'list', '-o', format], {
      env: await environmentWith(body)
    })
    expect(code).toBe(0)
    if (format === 'json') expect(JSON.parse(stdout)[0].name).toBe(name)
    if (format === 'csv') expect(stdout).toContain(name.replaceAll('"', '""'))
  })
})

test('a string with millions of escapes has colors too', async () => {
  const name = '\\"'.repeat(2_000_000)
  const env = await environmentWith(JSON.stringify([{ id: 1, name, categoryId: 2 }]))
  const { code, stdout } = await runCli(['pets', 'list', '--json', '--color', 'always'], { env })
  expect(code).toBe(0)
  expect(stdout).toContain(`\u001b[32m${JSON.stringify(name)}\u001b[39m`)
})

describe('a field called __proto__', () => {
  const pet = '{"id":1,"name":"Rex","categoryId":2,"__proto__":{"polluted":true}}'

  test.each([
    ['in a list', ['pets', 'list', '-o', 'ndjson'], `[${pet}]`],
    [
      'in a list with a large number',
      ['pets', 'list', '-o', 'ndjson'],
      `[${pet.replace('2', '9007199254740993')}]`
    ],
    ['in one pet', ['pets', 'add', '--name', 'Rex', '--category-id', '2', '-o', 'ndjson'], pet],
    ['with --jq', ['pets', 'list', '--jq', '.[0]'], `[${pet}]`]
  ])('is printed unchanged %s', async (_, argv, body) => {
    const { code, stdout } = await runCli(argv, { env: await environmentWith(body) })
    expect(code).toBe(0)
    expect(stdout.trimEnd()).toBe(body.replace(/^\[|\]$/g, ''))
    expect('polluted' in {}).toBe(false)
  })
})
