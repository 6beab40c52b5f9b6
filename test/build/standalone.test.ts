import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

const script = fileURLToPath(new URL('../../build/standalone.js', import.meta.url))

/** Runs the build with a PATH that contains only these commands: the shell script of each name. */
function build(commands: Readonly<Record<string, string>>) {
  const PATH = temporaryDirectory()
  symlinkSync('/bin/sh', join(PATH, 'sh'))
  for (const [name, body] of Object.entries(commands)) {
    writeFileSync(join(PATH, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(PATH, name), 0o755)
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { env: { PATH }, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('without strip, the build fails and names the package to install', () => {
  expect(build({ npm: 'echo must not run; exit 1' })).toEqual({
    status: 1,
    stdout: '',
    stderr: "error: the command 'strip' is missing; on Debian: apt install binutils\n",
  })
})

test('a Node with another checksum is refused and removed', () => {
  // `npm pack --silent` prints the name of the file that it creates. The last argument is the directory.
  const npm = 'for directory; do :; done; echo something else >"$directory/node.tgz"; echo node.tgz'
  const { status, stderr } = build({ npm, strip: 'exit 0', tar: 'echo must not run >&2; exit 1' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^error: node-\S+ 26\.\d+\.\d+ does not match the pinned hash: sha512-\S+\n$/)
  const directory = fileURLToPath(new URL('../../dist/standalone', import.meta.url))
  expect(readdirSync(directory).filter((name) => name.startsWith('build-'))).toEqual([])
})
