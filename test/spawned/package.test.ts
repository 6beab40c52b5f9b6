import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnvironment, isClone } from '../support/spawn-cli.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'petstore-package-'))
const npmEnvironment = JSON.parse(process.env.PETSTORE_TEST_NPM_ENVIRONMENT ?? '{}')
const prefix = join(directory, 'prefix')
const own = join(prefix, 'lib/node_modules/petstore-cli')
const run = (command: string, argv: readonly string[], env: NodeJS.ProcessEnv) =>
  execFileSync(command, argv, { cwd: directory, env, encoding: 'utf8' })

afterAll(() => rmSync(directory, { recursive: true, maxRetries: 5 }))

describe.skipIf(!isClone)('the package', () => {
  beforeAll(() => {
    run(join(root, '.ci/pack'), [directory], npmEnvironment)
    const [tarball = ''] = readdirSync(directory).filter(name => name.endsWith('.tgz'))
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    run('npm', ['install', '--global', '--prefix', prefix, ...options, tarball], npmEnvironment)
  }, 600_000)

  test('has the expected files and no others', () => {
    const files = readdirSync(own, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name).slice(own.length + 1))
      .filter(path => !path.startsWith('node_modules'))
    const expected = [
      /^(package\.json|README\.md|LICENSE)$/,
      /^bin\/(petstore\.js|package\.json)$/,
      /^dist\/[\w-]+\.cjs$/,
      /^dist\/(llhttp|llhttp_simd|jq)\.wasm$/,
      /^dist\/third-party-notices\.txt$/,
      /^man\/petstore\.1$/,
      /^skills\/petstore\/SKILL\.md$/
    ]
    expect(files.filter(path => !expected.some(pattern => pattern.test(path)))).toEqual([])
    expect(expected.filter(pattern => !files.some(path => pattern.test(path)))).toEqual([])
  })

  test('has no dependencies except SQLite', () => {
    const packages = readdirSync(join(own, 'node_modules')).filter(name => !name.startsWith('.'))
    expect(packages).toEqual(['@photostructure', 'node-addon-api', 'node-gyp-build'])
  })

  test('runs commands that need SQLite, jq and the skill, and has the man page', () => {
    const env = cleanEnvironment(directory)
    const petstore = (...argv: string[]) => run(join(prefix, 'bin/petstore'), argv, env)
    expect(petstore('pets', 'list', '--env', 'local', '--jq', 'length')).toBe('10\n')
    expect(petstore('help', 'agents')).toContain('petstore')
    expect(readdirSync(join(prefix, 'share/man/man1'))).toEqual(['petstore.1'])
  })

  test('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: root, level: 'suggestion', strict: true })
    // publint guesses the format of a file by its text, and the chunks contain texts about code.
    const certain = messages.filter(({ code }) => code !== 'FILE_INVALID_EXPLICIT_FORMAT')
    expect(certain.map(message => formatMessage(message, pkg as never))).toEqual([])
  })
})
