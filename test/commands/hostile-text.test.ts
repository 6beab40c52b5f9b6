import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

async function stdoutOf(argv: readonly string[], body: string, terminal = false) {
  const server = await recordingServer({ headers: { 'content-type': 'application/json' }, body })
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
  const { code, stdout } = await runCli(['pets', ...argv], { env, terminal })
  expect(code).toBe(0)
  return stdout
}

/** Each name would take minutes if the time grew with the square of the length. */
describe.each([
  ['spaces', ' '.repeat(400_000)],
  ['zero-width joiners', '\u200d'.repeat(300_000)],
  ['combining marks', `a${'\u0301'.repeat(300_000)}`],
  ['combining marks and joiners', `a${'\u0301\u200d'.repeat(150_000)}b`],
  ['halves of flags', '🇯'.repeat(150_000)],
  ['wide characters', '猫'.repeat(300_000)],
  ['escape sequences', '\u001b['.repeat(150_000)],
  ['quotes', '"'.repeat(300_000)]
])('a name of %s', (_, name) => {
  const body = JSON.stringify([{ id: 1, name, categoryId: 2, status: 'sold' }])

  test('is cut in a table, and exact as JSON and CSV', async () => {
    const table = await stdoutOf(['list', '--color', 'always'], body, true)
    expect(table.length).toBeLessThan(1500)
    expect(JSON.parse(await stdoutOf(['list', '-o', 'json'], body))[0].name).toBe(name)
    expect(await stdoutOf(['list', '-o', 'csv'], body)).toContain(name.replaceAll('"', '""'))
  })
})
