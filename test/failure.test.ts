import { expect, test } from 'vitest'
import { Failure } from '../src/failure.ts'

test('adding a hint to a failure changes nothing else', () => {
  const failure = new Failure('interrupted', 'made up', {
    status: 429,
    serviceCode: 'busy',
    isRetryable: true,
    waitSeconds: 7,
    signal: 'SIGTERM',
    cause: new Error('beneath'),
  })
  const { hint, ...rest } = failure
  expect(hint).toBeUndefined()
  failure.hint ??= 'petstore help'
  expect({ ...failure }).toEqual({ ...rest, hint: 'petstore help' })
  expect(failure).toMatchObject({ message: 'made up', status: 429, serviceCode: 'busy', waitSeconds: 7, exitCode: 143 })
})
