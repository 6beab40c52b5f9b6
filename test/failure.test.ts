import { expect, test } from 'vitest'
import { asFailure, asFinding, Failure } from '../src/failure.ts'

test('adding a hint to a failure changes nothing else', () => {
  const failure = new Failure('interrupted', 'made up', {
    status: 429,
    serviceCode: 'busy',
    isRetryable: true,
    waitSeconds: 7,
    exitCode: 143,
    cause: new Error('beneath')
  })
  const { hint, ...rest } = failure
  expect(hint).toBeUndefined()
  failure.hint ??= 'petstore help'
  expect({ ...failure }).toEqual({ ...rest, hint: 'petstore help' })
  expect(failure).toMatchObject({
    message: 'made up',
    status: 429,
    serviceCode: 'busy',
    waitSeconds: 7,
    exitCode: 143
  })
})

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
