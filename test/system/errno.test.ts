import { expect, test } from 'vitest'
import { describeSystemError, placeFailure, systemFailure } from '../../src/system/errno.ts'

const systemError = (code: string, errno = -1) => Object.assign(new Error(code), { code, errno })

test.each([
  [systemError('ENOSPC', -28), 'no space left on device'],
  [systemError('EISDIR', -21), 'illegal operation on a directory'],
  [systemError('EODD', -9999), 'EODD'],
  [new Error('a bug'), 'a bug']
])('%o in words', (error, text) => {
  expect(describeSystemError(error)).toBe(text)
})

test.each([
  ['EMFILE', 'local'],
  ['ENOENT', 'usage']
])('%s of a file that the command line names: %s', (error, code) => {
  expect(systemFailure(systemError(error), 'usage', 'FILE cannot be read')).toMatchObject({ code })
})

test('the hint for a place that cannot be written is another one', () => {
  const hint = 'export PETSTORE_CONFIG_DIR="$PWD/.petstore"'
  expect(placeFailure(systemError('EACCES'), 'it cannot be written')).toMatchObject({ hint })
})

test('an error that is not from a call to the operating system stays as it is', () => {
  const error = new TypeError('a bug')
  expect(systemFailure(error, 'usage', 'FILE cannot be read')).toBe(error)
})
