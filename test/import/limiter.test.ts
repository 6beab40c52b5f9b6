import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

test.each([
  [503, true],
  [500, false]
])(
  'after %d without a key, the message names --idempotent, and 429: %s',
  async (status, isNamed) => {
    const home = temporaryDirectory()
    const server = await recordingServer({ status })
    await runCli(['env', 'set', 'staging', '--base-url', server.url], { home })
    const path = join(home, 'pets.csv')
    writeFileSync(path, 'name,categoryId\nRex,2\n')
    const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_ENV: 'staging' }
    const { code, stderr } = await runCli(['pets', 'import', path], { home, env })
    expect([code, server.requests.length]).toEqual([8, 1])
    expect(stderr).toContain('petstore env set staging --idempotent')
    expect(stderr.includes('a limiter should answer 429')).toBe(isNamed)
  }
)
