import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { saveLocalKey } from '../../src/settings/environments.ts'
import type { SavedState } from '../../src/settings/saved-state.ts'
import { openStore } from '../../src/settings/store.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { hostWith } from './host.ts'

let directory: string
let path: string
const storeHere = () => openStore(hostWith({ PETSTORE_CONFIG_DIR: directory }))
const mode = (file: string) => statSync(file).mode & 0o777
const useStaging = (state: SavedState): SavedState => ({ ...state, environment: 'staging' })

beforeEach(() => {
  directory = join(temporaryDirectory(), 'a', 'petstore')
  path = join(directory, 'config.json')
})

describe('reading', () => {
  test('where nothing is kept makes nothing', async () => {
    expect(await storeHere().read()).toEqual({})
    expect(lstatSync(directory, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('without a home finds nothing; writing says what is missing', async () => {
    const store = openStore(hostWith({}))
    expect(store.path).toBeUndefined()
    expect(await store.read()).toEqual({})
    await expect(store.change(useStaging)).rejects.toMatchObject({
      code: 'local',
      hint: expect.stringContaining('PETSTORE_CONFIG_DIR'),
    })
  })

  test.each([
    ['nothing', '', {}],
    ['white space', ' \n\t', {}],
    ['a byte order mark alone', '\ufeff', {}],
    ['a byte order mark and a state', '\ufeff{"environment":"staging"}', { environment: 'staging' }],
    [
      'unknown fields',
      '{"later":{"a":1},"environments":{"demo":{"b":2}}}',
      { later: { a: 1 }, environments: { demo: { b: 2 } } },
    ],
  ])('a file with %s', async (_case, content, state) => {
    keepFile(content)
    expect(await storeHere().read()).toEqual(state)
  })
})

describe('a file that is not as it should be is named and stays as it is', () => {
  const secret = 'sk_live_secret'
  const wrong: [string, string][] = [
    [`{"environments":{"demo":{"apiKey":"${secret}"`, 'is not JSON'],
    [secret, 'is not JSON'],
    ['[1,2]', 'must be an object'],
    ['"hi"', 'must be an object'],
    ['null', 'must be an object'],
    ['{"environment":1}', "'environment'"],
    ['{"preferences":[]}', "'preferences'"],
    ['{"preferences":{"output":"xml"}}', "'preferences.output'"],
    ['{"preferences":{"timeout":"30"}}', "'preferences.timeout'"],
    ['{"preferences":{"timeout":-1}}', "'preferences.timeout'"],
    ['{"preferences":{"retries":1.5}}', "'preferences.retries'"],
    ['{"preferences":{"color":true}}', "'preferences.color'"],
    ['{"environments":[]}', "'environments'"],
    ['{"environments":{"a b":{}}}', "'environments.a b'"],
    ['{"environments":{"demo":null}}', "'environments.demo'"],
    ['{"environments":{"demo":{"baseUrl":1}}}', "'environments.demo.baseUrl'"],
    ['{"environments":{"demo":{"messagesUrl":[]}}}', "'environments.demo.messagesUrl'"],
    ['{"environments":{"demo":{"apiKey":12345678}}}', "'environments.demo.apiKey'"],
    ['{"environments":{"demo":{"keyOrigins":"https://a.example"}}}', "'environments.demo.keyOrigins'"],
    ['{"environments":{"demo":{"keyOrigins":[1]}}}', "'environments.demo.keyOrigins.0'"],
  ]
  test.each(wrong)('%s', async (content, problem) => {
    keepFile(content)
    for (const attempt of [storeHere().read(), storeHere().change(useStaging)]) {
      const failure = await attempt.catch((error) => error)
      expect(failure).toMatchObject({ code: 'local', exitCode: 9, hint: `mv ${path} ${path}.old`, cause: undefined })
      expect(failure.message).toContain(`the config file ${path} `)
      expect(failure.message).toContain(problem)
      expect(failure.message).not.toMatch(/secret|12345678/)
    }
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('bytes that are not UTF-8', async () => {
    keepFile(Buffer.from([0x7b, 0xff, 0x7d]))
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({ message: expect.stringContaining('UTF-8') })
    expect(readFileSync(path)).toEqual(Buffer.from([0x7b, 0xff, 0x7d]))
  })

  test.each([
    ['a directory', () => mkdirSync(path), 'is no regular file'],
    ['a device', () => symlinkSync('/dev/null', path), 'is no regular file'],
    ['a dangling link', () => symlinkSync(join(directory, 'nowhere'), path), 'link to a file that does not exist'],
    ['a link to itself', () => symlinkSync(path, path), "can't be read: too many symbolic links"],
  ])('%s', async (_case, make, problem) => {
    mkdirSync(directory, { recursive: true })
    make()
    const before = lstatSync(path)
    for (const attempt of [storeHere().read(), storeHere().change(useStaging)]) {
      await expect(attempt).rejects.toMatchObject({ code: 'local', message: expect.stringContaining(problem) })
    }
    expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode })
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('a config directory that is a file', async () => {
    mkdirSync(join(directory, '..'), { recursive: true })
    writeFileSync(directory, 'mine')
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({ code: 'local' })
    expect(readFileSync(directory, 'utf8')).toBe('mine')
  })
})

describe('changing', () => {
  test("makes a file and directories that are their owner's alone, whatever the umask", async () => {
    const umask = process.umask(0o277)
    try {
      expect(await storeHere().change(useStaging)).toEqual({ environment: 'staging' })
    } finally {
      process.umask(umask)
    }
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ environment: 'staging' })
    expect([mode(path), mode(directory)]).toEqual([0o600, 0o700])
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('narrows what was too wide', async () => {
    keepFile('{}')
    chmodSync(path, 0o666)
    chmodSync(directory, 0o777)
    await storeHere().change(useStaging)
    expect([mode(path), mode(directory)]).toEqual([0o600, 0o700])
  })

  test("does not take a directory that is everybody's, unless nothing is in it", async () => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'theirs'), '')
    chmodSync(directory, 0o1777)
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({ code: 'local' })
    expect(statSync(directory).mode & 0o7777).toBe(0o1777)
    expect(readdirSync(directory)).toEqual(['theirs'])

    rmSync(join(directory, 'theirs'))
    await storeHere().change(useStaging)
    expect(statSync(directory).mode & 0o7777).toBe(0o700)
  })

  test('keeps unknown fields, a key with dots, and a file with a byte order mark', async () => {
    keepFile('\ufeff{"later.field":{"a":[1]},"environments":{"my.demo":{"b":2}}}')
    await storeHere().change((state) => saveLocalKey(state, 'k'))
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      'later.field': { a: [1] },
      environments: { 'my.demo': { b: 2 }, local: { apiKey: 'k' } },
    })
  })

  test('writes through a symbolic link and leaves the link', async () => {
    const elsewhere = join(directory, '..', 'dotfiles.json')
    mkdirSync(directory, { recursive: true })
    writeFileSync(elsewhere, '{"later":1}')
    symlinkSync(elsewhere, path)
    await storeHere().change(useStaging)
    expect(readlinkSync(path)).toBe(elsewhere)
    expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toEqual({ later: 1, environment: 'staging' })
    expect(mode(elsewhere)).toBe(0o600)
  })

  test('writes nothing where the edit changes nothing', async () => {
    expect(await storeHere().change(() => undefined)).toEqual({})
    expect(lstatSync(directory, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('leaves everything as it was where the edit fails', async () => {
    keepFile('{"later":1}')
    await expect(
      storeHere().change(() => {
        throw new RangeError('refused')
      }),
    ).rejects.toThrow('refused')
    expect(readFileSync(path, 'utf8')).toBe('{"later":1}')
    await storeHere().change(useStaging)
  })

  test("sweeps up what killed programs left, and nothing of anybody else's", async () => {
    keepFile('{}')
    const left = 'config.json.0123456789abcdef.tmp'
    const others = ['config.json.old', 'config.json.tmp', 'config.json.bak.tmp', 'local.db']
    for (const name of [left, ...others]) writeFileSync(join(directory, name), 'x')
    symlinkSync('4000000.0123456789abcdef', join(directory, 'config.json.lock.4000001.0123456789abcdef'))
    await storeHere().change(useStaging)
    expect(readdirSync(directory).sort()).toEqual(['config.json', ...others].sort())
  })

  test('forty at once lose nothing', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `environment-${index}`)
    await Promise.all(
      names.map((name) =>
        storeHere().change((state) => ({
          ...state,
          environments: { ...state.environments, [name]: { apiKey: name } },
        })),
      ),
    )
    const { environments = {} } = await storeHere().read()
    expect(Object.keys(environments).sort()).toEqual(names.sort())
  })

  test('below /proc fails and comes back', async () => {
    const store = openStore(hostWith({ PETSTORE_CONFIG_DIR: '/proc/petstore/config' }))
    await expect(store.change(useStaging)).rejects.toMatchObject({ code: 'local' })
  })
})

function keepFile(content: string | Buffer): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(path, content)
}
