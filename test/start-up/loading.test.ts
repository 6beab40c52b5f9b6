import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { loadedBy } from './loaded.ts'

/** What plain http needs none of; a few milliseconds each. */
const forTlsAlone = ['http2', 'tls', '_tls_wrap', 'crypto']

/** What nothing at the start needs. */
const costly = [
  ...forTlsAlone,
  'http',
  'https',
  'child_process',
  'assert',
  'v8',
  'dns',
  'net',
  'tty',
  'zlib',
  'perf_hooks',
]

const nodesUndici = 'internal/deps/undici/undici'
const pets = [{ id: 1, name: 'Rex', categoryId: 2, status: 'available' }]

describe('loads the program alone and nothing costly', () => {
  test.each([
    [['--version']],
    [['--help']],
    [['pets', 'list', '--help']],
    [['help', 'exit-codes']],
    [['pets']],
    [['config', 'get', 'output']],
  ])('%j', async (argv) => {
    const { code, chunks, outside, modules } = await loadedBy(argv)
    expect({ code, chunks, outside }).toEqual({ code: 0, chunks: ['main'], outside: [] })
    expect(modules.filter((name) => [...costly, nodesUndici].includes(name))).toEqual([])
  })

  test('completion, with a chunk of its own', async () => {
    const { code, chunks, outside, modules } = await loadedBy(['completion', 'bash'])
    expect({ code, chunks, outside }).toEqual({ code: 0, chunks: ['main', 'completion'], outside: [] })
    expect(modules.filter((name) => [...forTlsAlone, 'http', 'child_process', nodesUndici].includes(name))).toEqual([])
  })

  test.each([[['pets', 'lst']], [['--colour']], [['pets', 'list', '--limit', '0']]])(
    'a usage error: %j',
    async (argv) => {
      const { code, chunks, outside } = await loadedBy(argv)
      expect({ code, chunks, outside }).toEqual({ code: 2, chunks: ['main'], outside: [] })
    },
  )
})

describe('pets list', () => {
  test('over plain http loads two chunks more, and nothing of TLS', async () => {
    const server = await recordingServer({ json: pets })
    const env = { PETSTORE_API_KEY: 'secret', PETSTORE_BASE_URL: `${server.url}/v1` }
    const { code, chunks, outside, modules } = await loadedBy(['pets', 'list'], { env })
    expect({ code, chunks, outside }).toEqual({ code: 0, chunks: ['main', 'client', 'network'], outside: [] })
    const unwanted = [...forTlsAlone, 'http', 'assert', 'child_process', 'zlib', 'perf_hooks', nodesUndici]
    expect(modules.filter((name) => unwanted.includes(name))).toEqual([])
  })

  test('loads the same where key and address are kept', async () => {
    const home = temporaryDirectory()
    const server = await recordingServer({ json: pets })
    const login = ['auth', 'login', '--no-verify', '--base-url', `${server.url}/v1`]
    await spawnCli(login, { home, input: 'secret' })
    const { code, chunks, modules } = await loadedBy(['pets', 'list'], { home })
    expect({ code, chunks }).toEqual({ code: 0, chunks: ['main', 'client', 'network'] })
    expect(modules.filter((name) => forTlsAlone.includes(name))).toEqual([])
  })

  test('with --env local loads no network', async () => {
    const { code, chunks, modules } = await loadedBy(['pets', 'list', '--env', 'local'])
    expect({ code, chunks }).toEqual({ code: 0, chunks: ['main', 'client', 'local'] })
    expect(modules.filter((name) => [...forTlsAlone, 'http', nodesUndici].includes(name))).toEqual([])
  })
})

test('a write to the config loads conf, and neither its schemas nor its encryption', async () => {
  const { code, chunks } = await loadedBy(['env', 'use', 'staging'])
  expect(code).toBe(0)
  expect(chunks).toContain('conf')
})
