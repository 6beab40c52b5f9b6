import { expect, test } from 'vitest'
import { anotherDirectory, placeHint, systemFailure } from '../../src/platform/errno.ts'

const systemError = (code: string) => Object.assign(new Error(code), { code, errno: -1 })

test.each([
  ['EMFILE', 'local'],
  ['ENFILE', 'local'],
  ['ENOMEM', 'local'],
  ['EIO', 'local'],
  ['ENOENT', 'usage']
])('%s of a file that the command line names: %s', (error, code) => {
  expect(systemFailure(systemError(error), 'usage', 'FILE cannot be read')).toMatchObject({ code })
})

test.each([
  ['EACCES', anotherDirectory],
  ['EROFS', anotherDirectory],
  ['ENOTDIR', anotherDirectory],
  ['ENOSPC', 'df -h /home/me'],
  ['EMFILE', undefined],
  ['ENOMEM', undefined],
  ['EIO', undefined]
])('the hint for a place that cannot be written: %s', (error, hint) => {
  expect(placeHint(systemError(error), '/home/me')).toBe(hint)
})

test('an error that is not from a call to the operating system stays as it is', () => {
  const error = new TypeError('a bug')
  expect(systemFailure(error, 'usage', 'FILE cannot be read')).toBe(error)
})
