import { expect, onTestFinished, test } from 'vitest'
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

test.each(['WebAssembly', 'crypto'])(
  'a Node without %s is a problem of this machine, not a bug',
  name => {
    const error = new ReferenceError(`${name} is not defined`)
    expect(asFailure(error).code).toBe('unexpected')
    const present = Object.getOwnPropertyDescriptor(globalThis, name)
    Reflect.deleteProperty(globalThis, name)
    onTestFinished(() => void Object.defineProperty(globalThis, name, present ?? {}))
    expect(asFailure(error)).toMatchObject({
      code: 'local',
      message: expect.stringContaining(`${name} is switched off`)
    })
  }
)

test("what Node's permission model refuses is a problem of this machine", () => {
  const error = Object.assign(new Error('Access to this API has been restricted'), {
    code: 'ERR_ACCESS_DENIED'
  })
  expect(asFailure(error)).toMatchObject({ code: 'local', exitCode: 9 })
})

test('a failure can be ignored, a bug cannot', async () => {
  await expect(
    Promise.reject(new Failure('local', 'made up')).catch(ignoreFailure)
  ).resolves.toBeUndefined()
  await expect(Promise.reject(new TypeError('made up')).catch(ignoreFailure)).rejects.toThrow(
    TypeError
  )
})
