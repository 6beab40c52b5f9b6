import { expect, test } from 'vitest'
import { asFailure, asFinding, Failure } from '../src/failure.ts'

test.each([
  [Object.assign(new Error('EMFILE'), { syscall: 'open' }), 'local', 9],
  [new TypeError('made up'), 'unexpected', 1],
  ['made up', 'unexpected', 1]
])('%s is a failure with the code %s', (error, code, exitCode) => {
  expect(asFailure(error)).toMatchObject({ code, exitCode })
})

test('a failure is a finding, and neither a bug nor a signal is', () => {
  const failure = new Failure('local', 'made up')
  expect(asFinding(failure)).toBe(failure)
  for (const error of [new TypeError('made up'), new Failure('interrupted', 'made up')])
    expect(() => asFinding(error)).toThrow(error)
})
