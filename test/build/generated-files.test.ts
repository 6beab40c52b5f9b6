import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manual = join(root, 'man/petstore.1')

test('generated files match the command tree (npm run generate updates them)', () => {
  const directory = temporaryDirectory()
  for (const name of ['man', 'docs']) mkdirSync(join(directory, name))
  execFileSync(process.execPath, [join(root, 'build/generate.js'), directory])
  for (const path of ['man/petstore.1', 'docs/reference.md'])
    expect(readFileSync(join(directory, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'))
})

test('the manual has at most 500 lines, and the sections that people look for', () => {
  const page = readFileSync(manual, 'utf8')
  expect(page.split('\n').length).toBeLessThanOrEqual(500)
  const sections = [...page.matchAll(/^\.SH "?([^"\n]*)/gm)].map(([, section]) => section)
  const wanted = 'NAME,SYNOPSIS,DESCRIPTION,COMMANDS,OPTIONS,ENVIRONMENT,FILES,EXIT STATUS'
  expect(sections).toEqual(expect.arrayContaining(wanted.split(',')))
})

needs('mandoc', 'groff')('the manual', () => {
  test.each([
    ['mandoc', '-T', 'lint', '-W', 'all'],
    ['groff', '-ww', '-man', '-T', 'utf8', '-z']
  ])('has no problem for %s', (program, ...argv) => {
    const { status, stdout, stderr } = spawnSync(program, [...argv, manual], { encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})
