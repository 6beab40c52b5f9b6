import { expect, test } from 'vitest'
import { plainStyle, styleFor } from '../../src/output/view.ts'
import { coloredStyle, recordingHost } from './hosts.ts'

test('a color applies to its first argument only', async () => {
  for (const paint of Object.values(await coloredStyle())) {
    expect(['text'].map(paint)[0]).toMatch(/text(?!.*0)/)
    expect('a text'.replace(/text/, paint)).not.toContain('a text')
  }
})

test.each([
  ['auto', true, {}, true],
  ['auto', true, { TERM: 'xterm-256color' }, true],
  ['auto', true, { TERM: 'dumb' }, false],
  ['auto', false, { TERM: 'xterm-256color' }, false],
  ['always', false, { TERM: 'dumb' }, true],
  ['never', true, {}, false]
] as const)('%s, terminal %s, %j: %s', async (choice, isTerminal, env, isColored) => {
  const { host } = recordingHost({ isTerminal, env })
  for (const stream of ['stdout', 'stderr'] as const) {
    expect((await styleFor(host, stream, choice)) !== plainStyle).toBe(isColored)
  }
})
