import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pack } from '../../build/pack.js'
import { cleanEnvironment, isClone } from '../support/spawn-cli.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'petstore-package-'))
const packed: { files: string[]; bytes: number } = { files: [], bytes: 0 }

/**
 * Installs the package like a user: from the tarball into an empty prefix, without scripts and
 * development tools.
 */
beforeAll(async () => {
  const { filename, files } = pack(directory)
  packed.files = files.map(({ path }) => path)
  // A clone may hold compiled code for several Nodes.
  const portable = files.filter(({ path }) => !path.startsWith('dist/compiled/'))
  packed.bytes = portable.reduce((sum, { size }) => sum + size, 0)
  const install = [
    'install',
    '--global',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund'
  ]
  await npm(
    [...install, '--prefix', join(directory, 'prefix'), join(directory, filename)],
    directory
  )
  mkdirSync(join(directory, 'home'))
}, 120_000)

afterAll(() => rmSync(directory, { recursive: true, maxRetries: 5 }))

describe.skipIf(!isClone)('the tarball', () => {
  test('contains the expected files and no others', () => {
    const expected = [
      /^(package\.json|README\.md|LICENSE)$/,
      /^bin\/(petstore\.js|package\.json)$/,
      /^dist\/[\w-]+\.cjs$/,
      /^dist\/(llhttp|llhttp_simd|jq)\.wasm$/,
      /^dist\/compiled\/[\w.-]+\/[0-9a-f]{16}\.v8$/,
      /^dist\/third-party-notices\.txt$/,
      /^completions\/(petstore\.bash|_petstore|petstore\.fish)$/,
      /^man\/petstore\.1$/,
      /^skills\/petstore\/SKILL\.md$/,
      /^dist\/bill-of-materials\.json$/
    ]
    expect(packed.files.filter(path => !expected.some(pattern => pattern.test(path)))).toEqual([])
    expect(expected.filter(pattern => !packed.files.some(path => pattern.test(path)))).toEqual([])
    expect(packed.files).toHaveLength(new Set(packed.files).size)
    expect(packed.bytes).toBeLessThan(2_300_000)
  })

  test('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: root, level: 'suggestion', strict: true })
    // publint guesses the format of a file by its text, and the chunks contain texts about code.
    const certain = messages.filter(({ code }) => code !== 'FILE_INVALID_EXPLICIT_FORMAT')
    expect(certain.map(message => formatMessage(message, pkg as never))).toEqual([])
  })
})

describe.skipIf(!isClone)('installed without scripts, for production', () => {
  test('has no dependencies except SQLite', () => {
    const modules = join(directory, 'prefix', 'lib', 'node_modules')
    expect(readdirSync(modules)).toEqual(['petstore-cli'])
    const own = readdirSync(join(modules, 'petstore-cli', 'node_modules')).filter(
      name => !name.startsWith('.')
    )
    expect(
      own.filter(name => !['@photostructure', 'node-gyp-build', 'node-addon-api'].includes(name))
    ).toEqual([])
  })

  test('has no scripts or development tools, which only work in a clone', () => {
    const path = join(directory, 'prefix', 'lib', 'node_modules', 'petstore-cli', 'package.json')
    const fields = Object.keys(JSON.parse(readFileSync(path, 'utf8')))
    expect(fields.filter(name => /^(scripts|devDependencies|allowScripts)$/.test(name))).toEqual([])
  })

  test('runs commands that need SQLite, jq and the skill', async () => {
    await petstore('petstore pets list --env local --jq length\npetstore help agents')
  })

  test('includes the man page', () => {
    expect(readdirSync(join(directory, 'prefix', 'share', 'man', 'man1'))).toEqual(['petstore.1'])
  })
})

function npm(argv: readonly string[], cwd: string) {
  return run('npm', argv, { cwd, env: { ...process.env, NODE_ENV: 'production' }, maxBuffer: 1e8 })
}

/** Rejects if the exit code is not 0. */
function petstore(script: string) {
  const env = cleanEnvironment(join(directory, 'home'))
  const PATH = [join(directory, 'prefix', 'bin'), env.PATH].join(delimiter)
  return run('bash', ['-ec', script], { cwd: directory, env: { ...env, PATH }, maxBuffer: 1e8 })
}
