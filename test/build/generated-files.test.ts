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
  }
)

describe('the manual', () => {
  test('has the sections that people look for', () => {
    const page = readFileSync(pathOf(manual), 'utf8')
    const sections = [...page.matchAll(/^\.SH (.*)$/gm)].map(([, section]) => section)
    expect(sections.slice(0, 9)).toEqual([
      'NAME',
      'SYNOPSIS',
      'DESCRIPTION',
      'COMMANDS',
      'OPTIONS',
      'ENVIRONMENT',
      'FILES',
      '"EXIT STATUS"',
      'EXAMPLES'
    ])
  })

  test('has every command, option, variable and exit code', async () => {
    const page = readFileSync(pathOf(manual), 'utf8').replaceAll('\\-', '-')
    const { commands, options, variables } = JSON.parse((await runCli(['commands'])).stdout)
    for (const { name } of commands) expect(page).toContain(`.SS "petstore ${name}"`)
    const terms = [
      ...commands.map(({ name }: { name: string }) => `petstore ${name}`),
      ...options.map(({ flags }: { flags: string }) => flags),
      ...variables.map(({ name }: { name: string }) => name),
      ...endings.map(([code, name]) => `${code} ${name}`)
    ]
    for (const term of terms) expect(page).toContain(`.TP\n.B "${term}"\n`)
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
