import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isStandalone, packageRoot, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** A copy of the program, and the path of a part of it by the start of its name. */
function copyProgram() {
  const directory = temporaryDirectory()
  cpSync(join(packageRoot, 'bin'), join(directory, 'bin'), { recursive: true })
  const dist = join(directory, 'dist')
  mkdirSync(dist)
  for (const name of readdirSync(join(packageRoot, 'dist')))
    if (/\.(cjs|wasm)$/.test(name)) cpSync(join(packageRoot, 'dist', name), join(dist, name))
  const part = (start: string) =>
    join(dist, readdirSync(dist).find(name => name.startsWith(start)) ?? start)
  return { program: join(directory, 'bin/petstore.js'), part }
}

const cutOff = (path: string) => truncateSync(path, 1000)

describe.skipIf(isStandalone)('a part of the program is', () => {
  test.each([
    ['missing at the start', 'main.cjs', rmSync],
    ['cut off at the start', 'main.cjs', cutOff]
  ])('%s', async (_, name, damage) => {
    const { program, part } = copyProgram()
    damage(part(name))
    const { code, stdout, stderr } = await spawnCli(['pets', 'list', '--env', 'local'], { program })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toMatch(/petstore cannot be loaded/)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

test.skipIf(isStandalone)(
  'an old version of Node is refused, before anything is loaded',
  async () => {
    const { program, part } = copyProgram()
    rmSync(part('main.cjs'))
    const launcher = readFileSync(program, 'utf8')
    const versions = ['16.20.2', '20.18.3', '21.7.3', '22.12.0']
    for (const version of versions) {
      writeFileSync(program, launcher.replaceAll('process.versions.node', `'${version}'`))
      expect(await spawnCli(['--version'], { program })).toMatchObject({
        code: 9,
        stderr: `error: petstore needs Node 20.19, 22.13 or a later one; this is Node ${version}\n`
      })
    }
  }
)
