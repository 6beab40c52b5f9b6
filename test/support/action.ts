import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from './temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const action = readFileSync(join(root, 'action.yml'), 'utf8')

/** The script of the step that installs. */
const install = (/^ +run: \|\n((?: {8}.*\n|\n)+)/m.exec(action)?.[1] ?? '').replace(/^ {8}/gm, '')

/** A machine of GitHub, with the directories that outlive a job. */
export function createRunner() {
  const machine = temporaryDirectory()
  for (const name of ['tools', 'temp', 'releases']) mkdirSync(join(machine, name))
  return { machine, releases: join(machine, 'releases') }
}

/** A release of one executable, in a directory; it is a shell script. */
export function addRelease(directory: string, version: string, script: string): string {
  const place = join(directory, `v${version}`)
  const name = `petstore-${version}-linux-x64`
  mkdirSync(join(place, name), { recursive: true })
  writeFileSync(join(place, name, 'petstore'), script, { mode: 0o755 })
  const pack = `tar -czf ${name}.tar.gz ${name} && sha256sum ./*.tar.gz >SHA256SUMS`
  spawnSync('bash', ['-ec', pack], { cwd: place })
  return place
}

/** Runs the step that installs, as GitHub does, and resolves to what it leaves for later steps. */
export function runInstall(
  runner: ReturnType<typeof createRunner>,
  variables: Readonly<Record<string, string>> = {}
) {
  const files = temporaryDirectory()
  const file = (name: string) => join(files, name)
  for (const name of ['path', 'env', 'output']) writeFileSync(file(name), '')
  writeFileSync(file('step.sh'), install)
  const env = {
    PATH: process.env.PATH,
    HOME: files,
    GITHUB_ACTION_PATH: root,
    GITHUB_PATH: file('path'),
    GITHUB_ENV: file('env'),
    GITHUB_OUTPUT: file('output'),
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: '1',
    CACHES: 'petstore/production/',
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_TEMP: join(runner.machine, 'temp'),
    RUNNER_TOOL_CACHE: join(runner.machine, 'tools'),
    RELEASES: `file://${runner.releases}`,
    VERSION: '',
    ...variables
  }
  const shell = ['--noprofile', '--norc', '-eo', 'pipefail', file('step.sh')]
  const { status, stdout, stderr } = spawnSync('bash', shell, { env, encoding: 'utf8' })
  const read = (name: string) => readFileSync(file(name), 'utf8').trim()
  return { status, stdout, stderr, path: read('path'), env: read('env'), output: read('output') }
}
