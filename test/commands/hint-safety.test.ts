import { expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { commandPath, leavesOf } from '../../src/cli/tree.ts'
import { checkHints } from '../support/hint-safety.ts'
import { operationCalls } from '../support/operation-calls.ts'

test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  expect(await checkHints(150, 1)).toBeGreaterThan(10)
}, 120_000)

test.each(operationCalls)(
  '$command ($method) is declared `destroys` for a PUT, PATCH or DELETE',
  call => {
    const found = leavesOf(program).find(leaf => commandPath(leaf) === call.command)
    const destroys = ['PUT', 'PATCH', 'DELETE'].includes(call.method)
    expect(found?.notes.destroys ?? false).toBe(destroys)
  }
)
