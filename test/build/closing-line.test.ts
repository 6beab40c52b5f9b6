import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('the output of the tests ends with their number, and names those that were not run', () => {
  const directory = temporaryDirectory()
  const files = {
    'vitest.config.mjs': `import { closingLine } from '${root}build/closing-line.js'
      export default { test: { globals: true, reporters: ['default', closingLine] } }`,
    'some.test.mjs': `test('good', () => {}); test('bad', () => { throw Error('bad') })
      describe('a', () => { test.skip('skipped', () => {}); test.todo('planned') })`,
    'broken.test.mjs': `import './missing.mjs'`
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout } = spawnSync(process.execPath, [vitest, 'run', '--root', directory], {
    encoding: 'utf8'
  })
  expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
    'skipped: a > skipped',
    'skipped: a > planned',
    '1 passed, 2 failed, 2 skipped'
  ])
})
