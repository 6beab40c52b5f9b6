import { expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { checkConfig, checkNode } from '../../../src/commands/doctor/machine.ts'
import { hostWith, storeWith } from '../../settings/host.ts'

test.each([
  ['18.20.0', 'warning'],
  ['20.18.3', 'warning'],
  ['20.19.0', 'ok'],
  ['21.7.0', 'warning'],
  ['22.11.0', 'warning'],
  ['22.13.0', 'ok'],
  ['23.0.0', 'ok'],
  ['26.1.0', 'ok'],
])('Node %s: %s', (node, state) => {
  expect(manifest.engines.node).toBe('^20.19.0 || >=22.13.0')
  expect(checkNode({ ...hostWith({}), runtime: { node, system: 'linux x64' } }).state).toBe(state)
})

test('a fault of the program is not reported as a problem of the config file', async () => {
  const fault = new TypeError('undefined is not a function')
  const store = { ...storeWith({}), read: () => Promise.reject(fault) }
  await expect(checkConfig({ host: hostWith({}), store })).rejects.toBe(fault)
})
