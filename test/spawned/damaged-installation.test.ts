import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isStandalone, packageRoot, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** The file that a user runs, without the rest of the program. */
function copyLauncher() {
  const directory = temporaryDirectory()
  cpSync(join(packageRoot, 'bin'), join(directory, 'bin'), { recursive: true })
  mkdirSync(join(directory, 'dist'))
  return join(directory, 'bin/petstore.js')
}

describe.skipIf(isStandalone)('the launcher', () => {
  test('says that the program cannot be loaded if a part is missing', async () => {
    const { code, stdout, stderr } = await spawnCli(['--help'], { program: copyLauncher() })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toMatch(/^error: petstore cannot be loaded.*\n$/)
  })

  test.each(['20.18.3', '21.7.3', '22.12.0'])('refuses Node %s', async version => {
    const program = copyLauncher()
    const launcher = readFileSync(program, 'utf8')
    writeFileSync(program, launcher.replaceAll('process.versions.node', `'${version}'`))
    expect(await spawnCli(['--version'], { program })).toMatchObject({
      code: 9,
      stderr: `error: petstore needs Node 20.19, 22.13 or a later one; this is Node ${version}\n`
    })
  })
})
