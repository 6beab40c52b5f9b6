import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  exposureOf,
  makePrivateDirectories,
  makePrivateFile,
  replacePrivateFile
} from '../../src/system/private-file.ts'
import { realPathOf } from '../../src/system/same-file.ts'
import { temporaryDirectory } from '../support/temp.ts'

let directory = ''
const at = (name: string) => join(directory, name)
const modeOf = (name: string) => statSync(at(name)).mode & 0o777

beforeEach(() => {
  directory = temporaryDirectory()
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
})

test('files and directories are made private, and what exists keeps its mode', () => {
  mkdirSync(at('a'))
  makePrivateDirectories(at('a/b/c'))
  makePrivateFile(at('a/file'))
  chmodSync(at('a/file'), 0o644)
  makePrivateFile(at('a/file'))
  expect(['a', 'a/b', 'a/b/c', 'a/file'].map(modeOf)).toEqual([0o777, 0o700, 0o700, 0o644])
})

test('a replaced file is private, keeps its link, and leaves no other file', () => {
  writeFileSync(at('file'), 'old')
  symlinkSync('file', at('link'))
  writeFileSync(at('file.tmp'), 'left by a killed program')
  replacePrivateFile(at('link'), 'new')
  expect(readFileSync(at('file'), 'utf8')).toBe('new')
  expect([modeOf('file'), readdirSync(directory)]).toEqual([0o600, ['file', 'link']])
})

test('a replacement that fails leaves nothing', () => {
  mkdirSync(at('file/x'), { recursive: true })
  expect(() => replacePrivateFile(at('file'), 'new')).toThrow()
  expect(readdirSync(directory)).toEqual(['file'])
})

test.each([
  ['file', 0o600, undefined],
  ['file', 0o640, 'chmod 600'],
  ['directory', 0o755, undefined],
  ['directory', 0o777, 'chmod go-w']
])('a %s of mode %o: %s', (name, mode, remedy) => {
  writeFileSync(at('file'), '')
  mkdirSync(at('directory'))
  chmodSync(at(name), mode)
  expect(exposureOf(at(name))?.hint).toBe(remedy && `${remedy} ${at(name)}`)
})

test('a path is the same file whatever leads to it', () => {
  writeFileSync(at('file'), '')
  symlinkSync('file', at('link'))
  symlinkSync('.', at('here'))
  for (const name of ['file', './file', 'link', 'here/link'])
    expect(realPathOf(`${directory}/${name}`)).toBe(at('file'))
  expect(realPathOf(`${directory}/x/../missing`)).toBe(at('missing'))
})
