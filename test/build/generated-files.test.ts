import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { generatedFiles } from '../../build/generated-files.js'
import { endings } from '../../src/failure.ts'
import { needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'

const run = promisify(execFile)
const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const manual = 'man/petstore.1'

test.each(Object.entries(generatedFiles))(
  '%s matches the command tree (npm run generate updates it)',
  async (path, make) => {
    const print = async (...argv: readonly string[]) => (await runCli(argv)).stdout
    expect(readFileSync(pathOf(path), 'utf8')).toBe(await make(print))
  },
)

describe('the manual', () => {
  test('has every command, topic and exit code', async () => {
    const page = readFileSync(pathOf(manual), 'utf8').replaceAll('\\-', '-')
    const { commands } = JSON.parse((await runCli(['commands'])).stdout)
    for (const { name } of commands) expect(page).toContain(`.SH "petstore ${name}"`)
    for (const chapter of [
      'OPTIONS',
      'ENVIRONMENT',
      'EXIT STATUS',
      'FORMATS',
      'IMPORT',
      'SECURITY',
    ]) {
      expect(page).toContain(`.SH "${chapter}"`)
    }
    expect(page).toContain('.SH FILES')
    for (const { code, name } of endings)
      expect(page).toMatch(new RegExp(`^ +${code} ${name} `, 'm'))
  })

  test('is named in package.json', () => {
    expect(JSON.parse(readFileSync(pathOf('package.json'), 'utf8')).man).toEqual([`./${manual}`])
  })
})

needs('mandoc')('mandoc', () => {
  test('finds no problem in the manual', async () => {
    const { stdout, stderr } = await run('mandoc', ['-T', 'lint', '-W', 'all', pathOf(manual)])
    expect(stdout + stderr).toBe('')
  })
})

needs('groff')('groff', () => {
  test('finds no problem in the manual, and renders it', async () => {
    const { stdout, stderr } = await run('groff', ['-ww', '-man', '-T', 'utf8', pathOf(manual)])
    expect(stderr).toBe('')
    expect(stdout).toContain('9007199254740993')
    expect(stdout, 'a name with a hyphen at the end of a line').not.toMatch(/\u2010\n/)
  })
})
