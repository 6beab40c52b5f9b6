import { execFileSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { addRelease, createRunner, runInstall } from '../support/action.ts'

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

  const action = readFileSync(new URL('../../action.yml', import.meta.url), 'utf8')
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
