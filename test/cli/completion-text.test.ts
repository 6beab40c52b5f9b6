import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'

describe('petstore completion', () => {
  test.each(['bash', 'zsh', 'fish'])(
    'prints a small script for %s that calls the program',
    async shell => {
      const { code, stdout, stderr } = await runCli(['completion', shell])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('petstore __complete --')
      expect(stdout).not.toContain('pets list')
    }
  )

  test('refuses other shells', async () => {
    const { code, stderr } = await runCli(['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('bash, zsh or fish')
  })
})
