import { expect, test } from 'vitest'
import { checkConfig } from '../../../src/commands/doctor/checks.ts'
import { storeWith } from '../../settings/host.ts'

test('a fault of the program is not reported as a problem of the config file', async () => {
  const fault = new TypeError('undefined is not a function')
  const store = { ...storeWith({}), read: () => Promise.reject(fault) }
  await expect(checkConfig({ store })).rejects.toBe(fault)
})
