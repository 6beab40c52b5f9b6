import { expect, test } from 'vitest'
import { Failure } from '../src/failure.ts'

test('a failure with a hint is the same in all else', () => {
  const failure = new Failure('interrupted', 'made up', {
    status: 429,
    serviceCode: 'busy',
    isRetryable: true,
    waitSeconds: 7,
    signal: 'SIGTERM',
    cause: new Error('beneath'),
  })
  const hinted = failure.withHint('petstore help')
  expect(hinted).toBeInstanceOf(Failure)
  expect({ ...hinted, message: hinted.message, cause: hinted.cause }).toEqual({
    ...failure,
    message: 'made up',
    cause: failure.cause,
    hint: 'petstore help',
  })
  expect(hinted.exitCode).toBe(143)
})
