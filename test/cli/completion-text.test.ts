import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'

describe('petstore completion', () => {
  test.each(['bash', 'zsh', 'fish'])('prints a small script for %s that calls the program', async (shell) => {
    const { code, stdout, stderr } = await runCli(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('petstore __complete --')
    expect(stdout).not.toContain('pets list')
  })

  test.each([
    ['bash', ["command '/opt/my tools/petstore' __complete", 'complete -F _petstore petstore']],
    ['zsh', ["command '/opt/my tools/petstore' __complete", 'compdef _petstore petstore']],
    ['fish', ["command '/opt/my tools/petstore' __complete", 'complete -c petstore']],
  ])('for %s calls a standalone program by its path', async (shell, texts) => {
    const { stdout } = await runCli(['completion', shell], { standalone: '/opt/my tools/petstore' })
    for (const text of texts) expect(stdout).toContain(text)
    const { stdout: usual } = await runCli(['completion', shell])
    expect(await runCli(['completion', shell], { standalone: 'petstore' })).toMatchObject({ stdout: usual })
    const renamed = await runCli(['completion', shell], { standalone: '/opt/pets-0.1' })
    expect(renamed.stdout).toMatch(/^(complete|\s*compdef) .*\bpets-0\.1\b/m)
  })

  test('refuses other shells', async () => {
    const { code, stderr } = await runCli(['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('bash, zsh or fish')
  })
})
