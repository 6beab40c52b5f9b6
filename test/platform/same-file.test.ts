import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { realPathOf, requireSeparateFiles } from '../../src/platform/same-file.ts'
import { temporaryDirectory } from '../support/temp.ts'

let directory: string
const at = (name: string) => join(directory, name)

beforeEach(() => {
  directory = temporaryDirectory()
  mkdirSync(at('a'))
  symlinkSync('a', at('link-to-a'))
})

test('a relative path in a deleted working directory is a failure of this machine', () => {
  const before = process.cwd()
  mkdirSync(at('deleted'))
  process.chdir(at('deleted'))
  rmSync(at('deleted'), { recursive: true })
  try {
    expect(() => realPathOf('pets.db')).toThrow(
      expect.objectContaining({ code: 'local', hint: 'cd "$HOME"' })
    )
  } finally {
    process.chdir(before)
  }
})

const compare = (one: string | number, other: string | number) => () =>
  requireSeparateFiles(
    [{ name: '--rejects', file: one }],
    [{ name: 'the config file', file: other }]
  )

describe.each(['that exists', 'that does not exist yet'])('a file %s', which => {
  beforeEach(() => {
    if (which === 'that exists') writeFileSync(at('a/file'), '')
    symlinkSync('a/file', at('link'))
    symlinkSync('link', at('link-to-link'))
    symlinkSync('../link-to-a/file', at('a/link-back'))
  })

  test.each([
    'a/file',
    'a/../a/./file',
    'link-to-a/file',
    'link',
    'link-to-link',
    'a/link-back',
    'link-to-a/link-back'
  ])('is the same file under the name %s', name => {
    expect(realPathOf(`${directory}/${name}`)).toBe(at('a/file'))
    expect(compare(`${directory}/${name}`, at('a/file'))).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `--rejects and the config file are the same file: ${directory}/${name}`
      })
    )
    expect(compare(at('a/file'), `${directory}/${name}`)).toThrow()
  })

  test('is different from other files', () => {
    writeFileSync(at('a/other'), '')
    for (const name of ['a/other', 'file', 'a/file2', 'missing/file']) {
      expect(compare(at(name), at('a/file'))).not.toThrow()
    }
  })
})

test('a hard link and a descriptor are the same file', () => {
  writeFileSync(at('file'), '')
  linkSync(at('file'), at('hard-link'))
  const descriptor = openSync(at('file'), 'r')
  expect(compare(at('hard-link'), at('file'))).toThrow()
  expect(compare(at('hard-link'), descriptor)).toThrow()
  expect(compare(at('a'), descriptor)).not.toThrow()
  closeSync(descriptor)
  expect(compare(at('file'), descriptor)).not.toThrow()
})

test('two outputs are compared with each other', () => {
  const outputs = [
    { name: '--rejects', file: at('new') },
    { name: '--journal', file: at('link-to-a/../new') }
  ]
  expect(() => requireSeparateFiles(outputs, [])).toThrow(
    '--rejects and --journal are the same file'
  )
})

test('a device can be used several times', () => {
  expect(compare('/dev/null', '/dev/null')).not.toThrow()
})

test('a loop of links does not hang', () => {
  symlinkSync('circle', at('circle'))
  expect(realPathOf(at('circle'))).toBe(at('circle'))
  expect(compare(at('circle'), at('file'))).not.toThrow()
})
