import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let clone: string

const changelog = '# Changes\n\n## 1.2.0 (1 March 2027)\n\n- Wings.\n\n## 1.1.0 (2 May 2026)\n'

beforeEach(() => {
  clone = temporaryDirectory()
  cpSync(join(root, '.ci'), join(clone, '.ci'), { recursive: true })
  writeFileSync(join(clone, 'package.json'), '{"name":"petstore-cli","version":"1.2.0"}')
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog)
})

function run(script: string, ...argv: string[]) {
  return spawnSync(join(clone, '.ci', script), argv, { cwd: clone, encoding: 'utf8' })
}

describe('a tag', () => {
  test.each([
    ['v1.2.0', changelog, 0, ''],
    ['v1.3.0', changelog, 1, "the tag is 'v1.3.0', but package.json has version 1.2.0\n"],
    ['1.2.0', changelog, 1, "the tag is '1.2.0', but package.json has version 1.2.0\n"],
    ['v1.2.0', '## 1.1.0 (today)\n', 1, "the changelog begins with '## 1.1.0 (today)', not with"],
    ['v1.2.0', '## 1.2.0\n', 1, "the changelog begins with '## 1.2.0', not with 1.2.0"]
  ])('%s', (tag, text, status, message) => {
    writeFileSync(join(clone, 'CHANGELOG.md'), text)
    const result = run('check-tag', tag)
    expect(result).toMatchObject({ status, stderr: expect.stringContaining(message) })
  })
})

describe('the files of a release', () => {
  const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
  const addArchives = (names: readonly string[]) => {
    for (const name of names) writeFileSync(join(clone, `out/petstore-1.2.0-${name}.tar.gz`), name)
  }

  beforeEach(() => {
    mkdirSync(join(clone, 'dist/release'), { recursive: true })
    mkdirSync(join(clone, 'out'))
    writeFileSync(join(clone, 'dist/release/petstore-cli-1.2.0.tgz'), 'package')
  })

  test('are the archives, the package, its integrity, the notes and the checksums', () => {
    addArchives(platforms)
    expect(run('assemble', 'out')).toMatchObject({ status: 0 })
    const read = (name: string) => readFileSync(join(clone, 'out', name), 'utf8')
    expect(read('notes.md').trim()).toBe('- Wings.')
    expect(read('integrity')).toMatch(/^sha512-[\w+/]{86}==\n$/)
    expect(read('SHA256SUMS').match(/\S+\.t\S*gz/g)).toHaveLength(5)
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(clone, 'out') })
  })

  test('are refused without one of the archives', () => {
    addArchives(platforms.slice(1))
    const { status, stderr } = run('assemble', 'out')
    expect(status).not.toBe(0)
    expect(stderr).toContain('petstore-1.2.0-linux-x64.tar.gz')
  })
})
