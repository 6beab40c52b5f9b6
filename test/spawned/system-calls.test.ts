import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { withFault } from '../support/strace.ts'
import { temporaryDirectory } from '../support/temp.ts'

let directory: string
let file: string

beforeEach(() => {
  directory = join(temporaryDirectory(), 'petstore')
  file = join(directory, 'config.json')
  mkdirSync(directory, { mode: 0o700 })
  writeFileSync(file, '{"preferences":{"timeout":9}}', { mode: 0o600 })
})

async function errorOf(argv: readonly string[], fault: Parameters<typeof withFault>[0]) {
  const env = { PETSTORE_CONFIG_DIR: directory }
  const { code, stdout, stderr } = await spawnCli(argv, { env, under: withFault(fault) })
  expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
  return JSON.parse(stderr).error
}

/** The operating system's words for it. */
const texts = {
  EMFILE: 'too many open files',
  EIO: 'i/o error',
  ENOMEM: 'not enough memory'
} as const

needs('strace')('an error that says nothing about the file has no hint', () => {
  test.each(['EMFILE', 'EIO', 'ENOMEM'] as const)(
    'the config file cannot be read: %s',
    async error => {
      const { message, hint } = await errorOf(['env', 'list'], {
        call: 'openat',
        error,
        path: file
      })
      expect({ message, hint }).toEqual({
        message: `the config file ${file} cannot be read: ${texts[error]}`,
        hint: undefined
      })
    }
  )

  test.each([
    ['openat', 'EMFILE'],
    ['rename', 'ENOMEM']
  ] as const)('the config file cannot be written: %s, %s', async (call, error) => {
    // The directory is searched for old temporary files, before there is a new one.
    const path = call === 'openat' ? directory : undefined
    const argv = ['config', 'set', 'timeout', '7']
    const { message, hint } = await errorOf(argv, { call, error, ...(path && { path }) })
    expect({ message, hint }).toEqual({
      message: `the config file ${file} is unchanged; it cannot be written: ${texts[error]}`,
      hint: undefined
    })
    expect(readFileSync(file, 'utf8')).toContain('9')
  })

  test.each([
    ['its lock', ['config', 'set', 'timeout', '7'], 'config.json.lock.db', 'cannot lock'],
    ['the database', ['pets', 'list', '--env', 'local'], 'local.db', 'the database']
  ])('%s cannot be opened', async (_what, argv, name, beginning) => {
    const path = join(directory, name)
    const { message, hint } = await errorOf(argv, { call: 'openat', error: 'EMFILE', path })
    expect({ message, hint }).toEqual({
      message: expect.stringMatching(/: too many open files$/),
      hint: undefined
    })
    expect(message.startsWith(`${beginning} ${path}`)).toBe(true)
  })

  test('a full disk has the command that shows it', async () => {
    const fault = { call: 'openat', error: 'ENOSPC', path: join(directory, 'local.db') } as const
    const { message, hint } = await errorOf(['pets', 'list', '--env', 'local'], fault)
    expect({ message, hint }).toEqual({
      message: expect.stringMatching(/: no space left on device$/),
      hint: `df -h ${dirname(fault.path)}`
    })
  })
})

needs('strace')('a directory that the program makes', () => {
  test.each([
    ['config set', ['config', 'set', 'timeout', '5']],
    ['--env local', ['pets', 'list', '--env', 'local']]
  ])('is synced into its parent: %s', async (_, argv) => {
    const home = temporaryDirectory()
    const log = join(home, 'log')
    const strace = ['strace', '-f', '-y', '-qq', '-o', log, '--trace=mkdir,fsync']
    expect(await spawnCli(argv, { home, under: strace })).toMatchObject({ code: 0 })
    const calls = readFileSync(log, 'utf8').split('\n')
    for (const made of [join(home, '.config'), join(home, '.config', 'petstore')]) {
      const make = calls.findIndex(call => call.includes(`mkdir("${made}"`))
      const sync = calls.findIndex(call => /fsync\(\d+<(.*)>\)/.exec(call)?.[1] === dirname(made))
      expect(make).toBeGreaterThanOrEqual(0)
      expect(sync).toBeGreaterThan(make)
    }
  })
})
