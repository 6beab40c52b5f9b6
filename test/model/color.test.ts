import { expect, test } from 'vitest'
import { wantsColor } from '../../src/model/color.ts'

test.each([
  ['auto', true, {}, true],
  ['auto', true, { TERM: 'xterm-256color' }, true],
  ['auto', true, { TERM: 'dumb' }, false],
  ['auto', false, { TERM: 'xterm-256color' }, false],
  ['always', false, { TERM: 'dumb' }, true],
  ['never', true, {}, false],
] as const)('%s, terminal %s, %j: %s', (choice, isTerminal, env, wanted) => {
  expect(wantsColor({ choice, isTerminal, env })).toBe(wanted)
})
