import { expect, test } from 'vitest'
import { asFailure, Failure, ignoreFailure } from '../src/failure.ts'

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

test('a failure can be ignored, a bug cannot', async () => {
  await expect(
    Promise.reject(new Failure('local', 'made up')).catch(ignoreFailure)
  ).resolves.toBeUndefined()
  await expect(Promise.reject(new TypeError('made up')).catch(ignoreFailure)).rejects.toThrow(
    TypeError
  )
})
