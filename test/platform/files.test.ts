import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeSystemError, errorCode, systemErrorCode } from '../../src/platform/errno.ts'
import { exposureOf, readRegularFile, requireOwnLinks } from '../../src/platform/file-access.ts'
import {
  makePrivateDirectories,
  removeTemporaryFiles,
  replacePrivateFile,
  syncDirectory
} from '../../src/platform/private-file.ts'
import { needs } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'

let directory: string
const at = (name: string) => join(directory, name)
const modeOf = (path: string) => statSync(path).mode & 0o777

beforeEach(() => {
  directory = temporaryDirectory()
})

describe('private files', () => {
  test('a replaced file is private, and no temporary file is left', async () => {
    writeFileSync(at('file'), 'old')
    chmodSync(at('file'), 0o644)
    const umask = process.umask(0)
    await replacePrivateFile(at('file'), 'new')
    process.umask(umask)
    expect(readFileSync(at('file'), 'utf8')).toBe('new')
    expect(modeOf(at('file'))).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['file'])
  })

  test('a replacement that fails leaves no temporary file', async () => {
    mkdirSync(at('file'))
    writeFileSync(at('file/x'), '')
    await expect(replacePrivateFile(at('file'), 'new')).rejects.toThrow()
    expect(readdirSync(directory)).toEqual(['file'])
    await expect(replacePrivateFile(at('missing/file'), 'new')).rejects.toThrow(
      expect.objectContaining({ code: 'ENOENT', syscall: 'open' })
    )
  })

  test('only the temporary files of this file are removed', () => {
    const temporary = `.${'0a'.repeat(8)}.tmp`
    const others = [
      'file',
      'file.tmp',
      `file.x${temporary}`,
      `other${temporary}`,
      `file${temporary}.bak`
    ]
    for (const name of [...others, `file${temporary}`]) writeFileSync(at(name), '')
    removeTemporaryFiles(at('file'))
    expect(readdirSync(directory).sort()).toEqual(others.sort())
  })

  test('missing directories are created as private, and existing ones keep their mode', () => {
    mkdirSync(at('a'))
    chmodSync(at('a'), 0o755)
    const umask = process.umask(0o777)
    makePrivateDirectories(at('a/b/c'))
    process.umask(umask)
    makePrivateDirectories(at('a'))
    expect(['a', 'a/b', 'a/b/c'].map(name => modeOf(at(name)))).toEqual([0o755, 0o700, 0o700])
    writeFileSync(at('file'), '')
    expect(() => makePrivateDirectories(at('file'))).toThrow(
      expect.objectContaining({ code: 'ENOTDIR' })
    )
  })

  test('syncing a directory leaves no descriptor open, and a missing directory is not an error', () => {
    const before = readdirSync('/proc/self/fd').length
    syncDirectory(directory)
    syncDirectory(at('missing'))
    expect(readdirSync('/proc/self/fd').length).toBe(before)
  })
})

describe('access by other users', () => {
  test.each([
    [0o600, undefined],
    [0o640, 'chmod 600'],
    [0o602, 'chmod 600']
  ])('to a file of mode %o', (mode, remedy) => {
    writeFileSync(at('file'), '')
    chmodSync(at('file'), mode)
    const octal = mode.toString(8).padStart(4, '0')
    const message = `${at('file')} can be read or changed by other users (mode ${octal})`
    const hint = `${remedy} ${at('file')}`
    expect(exposureOf(at('file'))).toEqual(remedy && expect.objectContaining({ message, hint }))
  })

  test.each([
    [0o755, undefined],
    [0o777, 'chmod go-w']
  ])('to a directory of mode %o', (mode, remedy) => {
    mkdirSync(at('a'))
    chmodSync(at('a'), mode)
    expect(exposureOf(at('a'))?.hint).toEqual(remedy && `${remedy} ${at('a')}`)
    expect(exposureOf(at('missing'))).toBeUndefined()
  })

  test('only regular files are read', () => {
    writeFileSync(at('file'), 'x')
    symlinkSync('file', at('link'))
    expect(readRegularFile(at('link'))?.toString()).toBe('x')
    expect(readRegularFile('/dev/zero')).toBeUndefined()
    expect(readRegularFile(directory)).toBeUndefined()
  })
})

describe('an error of the system', () => {
  const errorOf = (fields: object) => Object.assign(new Error('message from Node'), fields)

  test.each([
    [
      errorOf({ code: 'ENOSPC', errno: -28, syscall: 'write' }),
      'ENOSPC',
      'no space left on device'
    ],
    [
      errorOf({
        code: 'Unknown system error -122',
        errno: -constants.errno.EDQUOT,
        syscall: 'write'
      }),
      'Unknown system error -122',
      'disk quota exceeded'
    ],
    [errorOf({ code: 'EISDIR', errno: -21, syscall: 'read' }), 'EISDIR', 'it is a directory'],
    [errorOf({ code: 'EODD', errno: -9999, syscall: 'x' }), 'EODD', 'EODD'],
    [errorOf({ code: 'EODD', syscall: 'x' }), 'EODD', 'EODD'],
    [errorOf({ code: 'ERR_X' }), undefined, 'message from Node'],
    [errorOf({ code: 7, errno: 7 }), undefined, 'message from Node'],
    [errorOf({}), undefined, 'message from Node'],
    ['text', undefined, 'text'],
    [undefined, undefined, 'undefined']
  ])('%o', (error, code, text) => {
    expect(systemErrorCode(error)).toBe(code)
    expect(describeSystemError(error)).toBe(text)
  })

  test('has a code only if the code is a string', () => {
    expect(errorCode(errorOf({ code: 'ERR_X' }))).toBe('ERR_X')
    for (const error of [errorOf({ code: 7 }), { code: 'ERR_X' }, null, undefined])
      expect(errorCode(error)).toBeUndefined()
  })
})

needs('root')('a path through links', () => {
  test('of this user is accepted, even if they form a loop', () => {
    symlinkSync('directory', at('link'))
    symlinkSync('circle', at('circle'))
    expect(() => requireOwnLinks(at('link/file'))).not.toThrow()
    expect(() => requireOwnLinks(at('circle'))).not.toThrow()
  })

  test.each(['theirs', 'theirs/file', 'mine', 'mine/file'])(
    'of another user is refused: %s',
    path => {
      symlinkSync('directory', at('theirs'))
      symlinkSync('theirs', at('mine'))
      lchownSync(at('theirs'), 12_345, 12_345)
      expect(() => requireOwnLinks(at(path))).toThrow(
        expect.objectContaining({
          message: `${at('theirs')} is a link of another user (12345)`,
          hint: `ls -l ${at('theirs')}`
        })
      )
    }
  )
})
