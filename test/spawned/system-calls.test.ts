import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { withFault } from '../support/strace.ts'
import { temporaryDirectory } from '../support/temp.ts'

const before = '{"preferences":{"timeout":9}}'
const read = ['env', 'list']
const write = ['config', 'set', 'timeout', '7']
const local = ['pets', 'list', '--env', 'local']

needs('strace')('a call of the system that fails is 9, and names the file', () => {
  test.each([
    [read, 'openat', 'config.json', 'EIO', 'i/o error'],
    [write, 'rename', '', 'ENOMEM', 'not enough memory'],
    [local, 'openat', 'local.db', 'ENOSPC', 'no space left on device']
  ] as const)('%j: %s of %s, %s', async (argv, call, name, error, words) => {
    const directory = join(temporaryDirectory(), 'petstore')
    const file = join(directory, 'config.json')
    mkdirSync(directory, { mode: 0o700 })
    writeFileSync(file, before, { mode: 0o600 })
    const under = withFault({ call, error, ...(name !== '' && { path: join(directory, name) }) })
    const env = { PETSTORE_CONFIG_DIR: directory }
    const { code, stdout, stderr } = await spawnCli(argv, { env, under })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toContain(join(directory, name || 'config.json'))
    expect(stderr).toContain(words)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

needs('strace')('a command', () => {
  test('runs no other program, and connects to the service alone', async () => {
    const trace = join(temporaryDirectory(), 'trace')
    const { url, port } = await recordingServer({ json: [] })
    const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: 'sk_test_12345678' }
    const under = ['strace', '-f', '--quiet=all', '-o', trace, '--trace=execve,connect']
    expect(await spawnCli(['pets', 'list'], { env, under })).toMatchObject({ code: 0 })
    const calls = readFileSync(trace, 'utf8').match(/(execve|connect)\(.*/g)
    const connection = expect.stringMatching(`^connect.*htons\\(${port}\\).*"127.0.0.1"`)
    expect(calls).toEqual([expect.stringMatching('^execve'), connection])
  })
})

needs('strace')('an import that cannot write its rejects', () => {
  test.each<[about: string, under: readonly string[]]>([
    ['moved', withFault({ call: '/^rename', error: 'ENOSPC' })],
    ['longer than a megabyte', ['bash', '-c', 'ulimit -f 1024; exec "$@"', 'bash']]
  ])('(they cannot be %s) is 9, and leaves the former file', async (_, under) => {
    const home = temporaryDirectory()
    const [input, rejects] = [join(home, 'pets.csv'), join(home, 'rejects.csv')]
    const text = `name,categoryId\n${`${'a'.repeat(4000)},x\n`.repeat(300)}`
    writeFileSync(input, text)
    const argv = ['pets', 'import', input, '--check', '--rejects', rejects]
    await spawnCli(argv, { home })
    expect(await spawnCli(argv, { home, under })).toMatchObject({ code: 9 })
    expect(readFileSync(rejects, 'utf8')).toBe(text)
    expect(readdirSync(home).filter(name => name.endsWith('.part'))).toEqual([])
  })
})

needs('strace')('an import whose journal cannot be written', () => {
  test.each([
    ['2+', 'before a row is sent', /^(?!.*"outcome")/, /^(?!.*"summary").*disk is full/s],
    ['5+', 'at its end', /"added"/, /"summary":\{"added":1,"skipped":1,.*disk is full/s]
  ])('from write %s on, %s, is 9', async (when, _, lines, messages) => {
    const home = temporaryDirectory()
    const input = join(home, 'pets.csv')
    const argv = ['pets', 'import', input, '--env', 'local']
    writeFileSync(input, 'name,categoryId\na,5\n')
    const first = await spawnCli(argv, { home })
    const path = JSON.parse(first.stderr).summary.journal
    writeFileSync(input, 'b,5\n', { flag: 'a' })
    const under = withFault({ call: 'pwrite64', error: 'ENOSPC', path, when })
    const { code, stdout, stderr } = await spawnCli(argv, { home, under })
    expect(code).toBe(9)
    expect(stdout).toMatch(lines)
    expect(stderr).toMatch(messages)
  })
})
