import { expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { commandPath, leavesOf } from '../../src/cli/tree.ts'
import { isChangingMethod } from '../../src/client/retry-policy.ts'
import { checkHints } from '../support/hint-safety.ts'
import { operationCalls } from '../support/operation-calls.ts'

test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  expect(await checkHints(150, 1)).toBeGreaterThan(10)
}, 120_000)

test.each(operationCalls)('$command ($method) declares what it changes', call => {
  const found = leavesOf(program).find(leaf => commandPath(leaf) === call.command)
  const isChange = isChangingMethod(call.method)
  expect({
    changesService: found?.notes.changes === 'service',
    destroys: found?.notes.destroys ?? false
  }).toEqual({ changesService: isChange, destroys: call.method === 'DELETE' })
})
