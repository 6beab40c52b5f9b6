import { describe, expect, test } from 'vitest'
import { loadedBy } from '../support/loaded.ts'
import { recordingServer } from '../support/recording-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Modules that take a few milliseconds each and that plain http does not need. */
const onlyForTls = ['http2', 'tls', '_tls_wrap', 'crypto']

const expensive = [
  ...onlyForTls,
  'http',
  'https',
  'child_process',
  'assert',
  'v8',
  'dns',
  'net',
  'tty',
  'zlib',
  'perf_hooks'
]

const undiciOfNode = 'internal/deps/undici/undici'
const pets = [{ id: 1, name: 'Rex', categoryId: 2, status: 'available' }]

describe('the version loads only the main chunk and no expensive module', () => {
  test.each([[['--version']], [['-V']]])('%j', async argv => {
    const { code, chunks, outside, modules } = await loadedBy(argv)
    expect({ code, chunks, outside }).toEqual({ code: 0, chunks: ['main'], outside: [] })
    expect(modules.filter(name => [...expensive, 'stream'].includes(name))).toEqual([])
  })
})

describe('a command that sends nothing also loads the program chunk, and no expensive module', () => {
  test.each([
    [['--help']],
    [['help', 'pets']],
    [['pets', 'list', '--help']],
    [['help', 'exit-codes']],
    [['pets']],
    [['config', 'get', 'output']],
    [['completion', 'bash']]
  ])('%j', async argv => {
    const { code, chunks, outside, modules } = await loadedBy(argv)
    expect({ code, chunks, outside }).toEqual({ code: 0, chunks: ['main', 'program'], outside: [] })
    expect(modules.filter(name => [...expensive, undiciOfNode].includes(name))).toEqual([])
  })

  test.each([[['pets', 'lst']], [['--colour']], [['pets', 'list', '--limit', '0']]])(
    'a usage error also loads the suggestions: %j',
    async argv => {
      const { code, chunks, outside } = await loadedBy(argv)
      expect({ code, chunks, outside }).toEqual({
        code: 2,
        chunks: ['main', 'program', 'mistakes'],
        outside: []
      })
    }
  )
})

describe('pets list', () => {
  test('over plain http adds two chunks and nothing for TLS', async () => {
    const server = await recordingServer({ json: pets })
    const env = { PETSTORE_API_KEY: 'secret', PETSTORE_BASE_URL: `${server.url}/v1` }
    const { code, chunks, outside, modules } = await loadedBy(['pets', 'list'], { env })
    expect({ code, chunks, outside }).toEqual({
      code: 0,
      chunks: ['main', 'program', 'client', 'network'],
      outside: []
    })
    const unwanted = [...onlyForTls, 'http', 'child_process', 'zlib', 'perf_hooks', undiciOfNode]
    expect(modules.filter(name => unwanted.includes(name))).toEqual([])
  })

  test('loads the same chunks with a saved API key and base URL', async () => {
    const home = temporaryDirectory()
    const server = await recordingServer({ json: pets })
    const login = ['auth', 'login', '--no-verify', '--base-url', `${server.url}/v1`]
    await spawnCli(login, { home, input: 'secret' })
    const { code, chunks, modules } = await loadedBy(['pets', 'list'], { home })
    expect({ code, chunks }).toEqual({ code: 0, chunks: ['main', 'program', 'client', 'network'] })
    expect(modules.filter(name => onlyForTls.includes(name))).toEqual([])
  })

  test('with --env local loads no network chunk', async () => {
    const { code, chunks, modules } = await loadedBy(['pets', 'list', '--env', 'local'])
    expect({ code, chunks }).toEqual({ code: 0, chunks: ['main', 'program', 'client', 'local'] })
    expect(
      modules.filter(name =>
        [...onlyForTls, 'http', 'net', 'child_process', undiciOfNode].includes(name)
      )
    ).toEqual([])
  })
})

test('a change of the config file loads conf', async () => {
  const { code, chunks } = await loadedBy(['env', 'use', 'staging'])
  expect(code).toBe(0)
  expect(chunks).toContain('conf')
})
