import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Answer, recordingServer } from '../support/recording-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const errorsOf = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).error)

describe('with a config directory relative to a deleted working directory', () => {
  const petstore = (...argv: string[]) =>
    spawnCli(argv, {
      env: { PETSTORE_CONFIG_DIR: 'saved' },
      under: ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh']
    })

  test.each([['--version'], ['--help'], ['help', 'security']])(
    'petstore %s works',
    async (...argv) => {
      const { code, stdout, stderr } = await petstore(...argv)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(argv[0] === '--version' ? manifest.version : 'petstore')
    }
  )

  test.each([
    ['pets', 'list'],
    ['env', 'use', 'staging'],
    ['pets', 'list', '--env', 'local'],
    ['config', 'path']
  ])('petstore %s %s reports the missing directory', async (...argv) => {
    const { code, stdout, stderr } = await petstore(...argv)
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(errorsOf(stderr)).toMatchObject([
      {
        code: 'local',
        message: expect.stringContaining('working directory'),
        hint: 'unset PETSTORE_CONFIG_DIR'
      }
    ])
  })
})

test.each<[what: string, answer: Answer, code: number, codes: string[]]>([
  ['a success', { json: [] }, 1, ['unexpected']],
  [
    'a failure',
    { status: 403, json: { code: 'x', message: 'y', status: 403 } },
    4,
    ['auth', 'unexpected']
  ]
])('a crash while closing after %s is reported', async (_what, answer, expected, codes) => {
  const server = await recordingServer(answer)
  const hook = join(temporaryDirectory(), 'hook.cjs')
  // Every command calls it, but only a transport that is closed does so from a function of this
  // name.
  writeFileSync(
    hook,
    `const remove = EventTarget.prototype.removeEventListener
    EventTarget.prototype.removeEventListener = function (...listener) {
      const error = new Error('cannot close')
      if (/\\.close /.test(error.stack)) throw error
      return remove.apply(this, listener)
    }`
  )
  const { code, stderr } = await spawnCli(['pets', 'list'], {
    env: { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url },
    nodeArguments: ['--require', hook]
  })
  expect(code).toBe(expected)
  expect(errorsOf(stderr).map(error => error.code)).toEqual(codes)
  expect(errorsOf(stderr).at(-1).message).toContain('cannot close')
})
