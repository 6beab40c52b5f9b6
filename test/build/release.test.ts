import { execFileSync, spawnSync } from 'node:child_process'
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
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import launcher from '../../bin/petstore.js'
import { newestSection } from '../../build/changelog.js'
import { keepChanges } from '../../build/pack.js'
import {
  checkCompiled,
  checkRepository,
  checkSizes,
  checkTag,
  largest
} from '../../build/release-checks.js'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const changelog = `# Changelog

Changes that users notice.

## 1.2.0 (24 November 2026)

### Added

- Wings.

## 1.1.0 (23 November 2026)

- Legs.
`

describe('the newest section of the changelog', () => {
  test('has a version, a date and a text', () => {
    expect(newestSection(changelog)).toEqual({
      version: '1.2.0',
      date: new Date('2026-11-24T00:00:00Z'),
      text: '### Added\n\n- Wings.'
    })
  })

  test.each(['## 1.2.0', '## Unreleased', ''])('is refused without them: %j', heading => {
    const text = changelog.replace(/^## .*$/gm, heading)
    expect(() => newestSection(text)).toThrow('is not a version with its date')
  })

  test('is the version in package.json', () => {
    const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    expect(() => checkTag(`v${manifest.version}`, manifest.version, text)).not.toThrow()
  })
})

describe('a release is refused with', () => {
  test.each([
    ['the tag of another version', 'v1.1.0', '1.2.0', "the tag is 'v1.1.0'"],
    ['a tag without its v', '1.2.0', '1.2.0', "the tag is '1.2.0'"],
    ['no tag', '', '1.2.0', "the tag is ''"],
    ['an old section in the changelog', 'v1.3.0', '1.3.0', 'is 1.2.0, not 1.3.0']
  ])('%s', (_, tag, version, message) => {
    expect(() => checkTag(tag, version, changelog)).toThrow(message)
  })

  test.each([
    ['another repository', { repository: { url: 'git+https://github.com/other/petstore.git' } }],
    ['no repository', {}]
  ])('%s', (_, fields) => {
    expect(() => checkRepository(fields, 'example/petstore')).toThrow(
      "but the workflow's is git+https://github.com/example/petstore.git"
    )
  })

  test.each(['size', 'unpackedSize'] as const)('too large a %s', kind => {
    expect(() => checkSizes(largest)).not.toThrow()
    const packed = { ...largest, [kind]: largest[kind] + 1 }
    expect(() => checkSizes(packed)).toThrow(`too large: ${kind}`)
    expect(() => checkSizes(largest, 1)).toThrow('too large')
  })
})

test('a release is refused if npm cannot say which versions it has', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'build/check-tag.js')],
    {
      env: {
        ...process.env,
        GITHUB_REF_NAME: `v${manifest.version}`,
        GITHUB_RUN_ATTEMPT: '1',
        npm_config_registry: 'http://127.0.0.1:9/',
        npm_config_fetch_retries: '0'
      },
      encoding: 'utf8'
    }
  )
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain('npm cannot say which versions it has: ECONNREFUSED')
})

const common = '1.2-linux-x64'
const other = '1.2-plan9-mips'
const code = Buffer.from('the code for the common platform')

/** Two sets of compiled code: files of the other one differ little, much, and in their length. */
function compile(directory: string): string {
  const others = {
    'few.v8': 'The code for the common Platform',
    'many.v8': code.toString().toUpperCase(),
    'longer.v8': `${code}s`
  }
  for (const set of [common, other]) mkdirSync(join(directory, set), { recursive: true })
  for (const [name, text] of Object.entries(others)) {
    writeFileSync(join(directory, common, name), code)
    writeFileSync(join(directory, other, name), text)
  }
  return directory
}

function packedCode(): { original: string; packed: string } {
  const original = compile(join(temporaryDirectory(), 'compiled'))
  const packed = join(temporaryDirectory(), 'compiled')
  cpSync(original, packed, { recursive: true })
  keepChanges(packed)
  return { original, packed }
}

describe('compiled code', () => {
  test('for another platform is packed as changes, if they are few', () => {
    const { packed } = packedCode()
    expect(readdirSync(join(packed, common)).sort()).toEqual(['few.v8', 'longer.v8', 'many.v8'])
    expect(readdirSync(join(packed, other)).sort()).toEqual([
      'few.v8.changes',
      'longer.v8',
      'many.v8'
    ])
    const [t, p] = [...Buffer.from('TP')]
    const changes = [...readFileSync(join(packed, other, 'few.v8.changes'))]
    expect(changes).toEqual([2, 0, 0, 0, 0, 0, 0, t, 24, 0, 0, p])
  })

  test('is put together again by the launcher, byte for byte', () => {
    const { original, packed } = packedCode()
    expect(() => checkCompiled(packed, original, 2)).not.toThrow()
  })

  test.each<[string, (packed: string) => void, string]>([
    [
      'a set is missing',
      packed => rmSync(join(packed, other), { recursive: true }),
      'for 1 of 2: 1.2-linux-x64'
    ],
    ['a file is missing', packed => rmSync(join(packed, common, 'many.v8')), 'many.v8'],
    ['a file is too short', packed => truncateSync(join(packed, other, 'many.v8'), 31), 'many'],
    [
      'a byte differs',
      packed => writeFileSync(join(packed, common, 'many.v8'), String(code).replace('t', 'T')),
      'many.v8'
    ],
    [
      'a change is missing',
      packed => truncateSync(join(packed, other, 'few.v8.changes'), 8),
      'few.v8'
    ],
    [
      'a change has another place',
      packed => writeFileSync(join(packed, other, 'few.v8.changes'), Uint32Array.of(2, 1, 2 ** 24)),
      'few.v8'
    ]
  ])('is refused if %s', (_, damage, message) => {
    const { original, packed } = packedCode()
    damage(packed)
    expect(() => checkCompiled(packed, original, 2)).toThrow(message)
  })

  test('is refused if nothing was compiled for a set', () => {
    const { original, packed } = packedCode()
    for (const name of readdirSync(join(original, other))) rmSync(join(original, other, name))
    expect(() => checkCompiled(packed, original, 2)).toThrow('nothing is compiled for')
  })
})

test('changes of which some are missing are refused', () => {
  const some = new Uint8Array(Uint32Array.of(2, 0).buffer)
  expect(() => launcher.withChanges(Buffer.from('code'), some)).toThrow('changes are missing')
})

describe('node build/release.js', () => {
  /** A small package with the real build and launcher, compiled for two platforms. */
  function project(): string {
    const directory = temporaryDirectory()
    for (const folder of ['build', 'bin'])
      cpSync(join(root, folder), join(directory, folder), { recursive: true })
    compile(join(directory, 'dist/compiled'))
    const { name, files } = manifest
    const fields = { name, version: '1.2.0', type: 'module', files, scripts: { prepare: 'exit 1' } }
    writeFileSync(join(directory, 'package.json'), JSON.stringify(fields))
    return directory
  }

  function release(directory: string, argv: readonly string[], repository = '') {
    const script = join(directory, 'build/release.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...argv], {
      env: { ...process.env, GITHUB_REPOSITORY: repository },
      encoding: 'utf8'
    })
    return { status, stdout, stderr }
  }

  const tarballIn = (directory: string) => join(directory, 'dist/release/petstore-cli-1.2.0.tgz')

  test('writes where the package comes from, and no scripts', () => {
    const directory = project()
    const { status, stdout } = release(directory, ['--sets', '2'], 'example/petstore')
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^packing .*1\.2-plan9-mips\nchecking it\ndist\/release\/\S+\.tgz: .*\n$/
    )
    const argv = ['-xzOf', tarballIn(directory), 'package/package.json']
    const packed = JSON.parse(execFileSync('tar', argv, { encoding: 'utf8' }))
    expect(packed).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/example/petstore.git' },
      homepage: 'https://github.com/example/petstore#readme',
      bugs: { url: 'https://github.com/example/petstore/issues' }
    })
    expect(packed.scripts).toBeUndefined()
  })

  test('packs only what was tried', () => {
    const directory = project()
    const tried = temporaryDirectory()
    writeFileSync(join(tried, common), '')
    expect(release(directory, ['--tried', tried]).status).toBe(0)
    const files = execFileSync('tar', ['-tzf', tarballIn(directory)], { encoding: 'utf8' })
    expect(files).toContain(`compiled/${common}/few.v8`)
    expect(files).not.toContain(other)
    writeFileSync(join(tried, '1.2-linux-mips'), '')
    expect(release(directory, ['--tried', tried]).stderr).toContain('for 1 of 2')
  })

  test('fails if compiled code is missing', () => {
    const { status, stderr } = release(project(), ['--sets', '3'])
    expect(status).toBe(1)
    expect(stderr).toContain('compiled code for 2 of 3: 1.2-linux-x64,1.2-plan9-mips')
  })
})
