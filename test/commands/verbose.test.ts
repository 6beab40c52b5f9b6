import { describe, expect, test } from 'vitest'
import { activeCharacter } from '../output/hostile.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

const key = 'sk_test_12345678'
const pets = [{ id: 7, name: 'Rex', categoryId: 2 }]

async function service(answer: Parameters<typeof recordingServer>[0] = { json: pets }) {
  const server = await recordingServer(answer)
  return { server, env: { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${server.url}/v1` } }
}

describe('--verbose', () => {
  test.each([
    [['--verbose'], {}],
    [['-v'], {}],
    [['-qv'], {}],
    [[], { PETSTORE_DEBUG: '1' }]
  ])(
    '%j with %j shows the request and the reply on stderr, and the same data on stdout',
    async (options, extra) => {
      const { server, env } = await service()
      const plain = await runCli(['pets', 'list', '-o', 'csv'], { env })
      const run = await runCli(['pets', 'list', '-o', 'csv', ...options], {
        env: { ...env, ...extra }
      })
      expect(run.stdout).toBe(plain.stdout)
      const lines = run.stderr.split('\n')
      expect(lines).toContain(`> GET ${server.url}/v1/pets`)
      expect(lines).toContain('> authorization: Bearer ***')
      expect(run.stderr).toMatch(/^< 200 \(\d+ ms\)$/m)
      expect(lines).toContain('< content-type: application/json')
      expect(lines).toContain(`< ${JSON.stringify(pets)}`)
      expect(run.stderr).not.toContain(key)
    }
  )

  test.each([
    [[], { PETSTORE_DEBUG: '0' }],
    [[], { PETSTORE_DEBUG: '' }],
    [[], {}]
  ])('%j with %j shows nothing', async (options, extra) => {
    const { env } = await service()
    expect((await runCli(['pets', 'list', ...options], { env: { ...env, ...extra } })).stderr).toBe(
      ''
    )
  })

  test('prints JSON notices if the output format is JSON', async () => {
    const { env } = await service()
    const { stderr } = await runCli(['pets', 'list', '-v'], { env })
    const notices = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).notice)
    expect(notices.map(({ code }) => code)).toEqual(['trace', 'trace'])
    expect(notices[0].message).toContain('> authorization: Bearer ***')
  })

  test('shows the body that is sent, and every attempt', async () => {
    const { server, env } = await service([
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 201, json: pets[0] }
    ])
    const argv = ['pets', 'add', '--name', 'Rex', '--category-id', '2', '-v', '-o', 'csv']
    const { code, stderr } = await runCli(argv, { env })
    expect(code).toBe(0)
    expect(server.requests).toHaveLength(2)
    expect(stderr.match(/^> POST /gm)).toHaveLength(2)
    expect(stderr.match(/^> \{"name":"Rex","categoryId":2\}$/gm)).toHaveLength(2)
    expect(stderr).toMatch(/^< 503 \(/m)
    expect(stderr).toMatch(/^< 201 \(/m)
  })

  test('shows an attempt that ended without a reply', async () => {
    const { server, env } = await service()
    await server.close()
    const { code, stderr } = await runCli(['pets', 'list', '-v', '-o', 'csv', '--retries', '0'], {
      env
    })
    expect(code).toBe(6)
    expect(stderr).toMatch(/^\* refused while connecting \(\d{1,5} ms\)$/m)
  })

  test('masks a key that the service repeats, even where the body is cut off', async () => {
    for (const length of [0, 19_990, 19_995, 30_000]) {
      const body = JSON.stringify([{ ...pets[0], name: `${'x'.repeat(length)}${key}` }])
      const { env } = await service({ body, headers: { 'x-echo': `Bearer ${key}` } })
      const { stderr } = await runCli(['pets', 'list', '-v', '-o', 'csv'], { env })
      expect(stderr).not.toContain('sk_test')
      expect(stderr).toContain('< x-echo: Bearer ***')
      expect(stderr.length).toBeLessThan(25_000)
    }
  })

  test('shows no character that acts on a terminal', async () => {
    const { env } = await service({ status: 400, body: '\u001b[2J\u009b31m\u202egnp\r\nx\u0007' })
    const { stderr } = await runCli(['pets', 'list', '-v', '--color', 'never'], {
      env,
      terminal: true
    })
    expect(stderr).toContain('␛[2J')
    expect(stderr.replaceAll(/[\r\n]/g, '')).not.toMatch(activeCharacter)
  })

  test('only with --verbose, an error has a stack', async () => {
    const { env } = await service({ status: 400 })
    const stderrWith = async (...options: string[]) =>
      (await runCli(['pets', 'list', '-o', 'csv', ...options], { env })).stderr
    expect(await stderrWith()).not.toContain('    at ')
    expect(await stderrWith('-v')).toContain('    at ')
    expect((await runCli(['pets', 'list', '--limit', 'x', '-v'])).stderr).toContain('    at ')
    expect((await runCli(['pets', 'list', '--limit', 'x'])).stderr).not.toContain('    at ')
  })
})
