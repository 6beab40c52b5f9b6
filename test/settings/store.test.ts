import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { takeLock } from '../../src/platform/lock.ts'
import type { SavedState } from '../../src/settings/saved-state.ts'
import { saveLocalKey } from '../../src/settings/saved-state.ts'
import { needs } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { storeWith } from './host.ts'

let directory: string
let path: string
const storeHere = () => storeWith({ PETSTORE_CONFIG_DIR: directory })
const mode = (file: string) => statSync(file).mode & 0o777
const useStaging = (state: SavedState): SavedState => ({ ...state, environment: 'staging' })

beforeEach(() => {
  directory = join(temporaryDirectory(), 'a', 'petstore')
  path = join(directory, 'config.json')
})

describe('reading', () => {
  test('after a change returns what was written, whatever happens to the file', async () => {
    const store = storeHere()
    await store.change(useStaging)
    rmSync(path)
    expect(await store.read()).toEqual({ environment: 'staging' })
  })

  test('creates nothing if nothing is saved', async () => {
    expect(await storeHere().read()).toEqual({})
    expect(lstatSync(directory, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('without a home directory finds nothing, and writing is an error with a hint', async () => {
    const store = storeWith({})
    expect(store.path).toBeUndefined()
    expect(await store.read()).toEqual({})
    await expect(store.change(useStaging)).rejects.toMatchObject({
      code: 'local',
      hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
    })
  })

  test.each([
    ['nothing', '', {}],
    ['white space', ' \n\t', {}],
    ['a byte order mark alone', '\ufeff', {}],
    [
      'a byte order mark and a state',
      '\ufeff{"environment":"staging"}',
      { environment: 'staging' }
    ],
    [
      'unknown fields',
      '{"later":{"a":1},"environments":{"demo":{"b":2}}}',
      { later: { a: 1 }, environments: { demo: { b: 2 } } }
    ]
  ])('a file with %s', async (_case, content, state) => {
    saveFile(content)
    expect(await storeHere().read()).toEqual(state)
  })
})

describe('an unusable config file is named and left unchanged', () => {
  const secret = 'sk_live_secret'
  const wrong: [string, string][] = [
    [
      `{"environments":{"demo":{"apiKey":"${secret}"`,
      'is not JSON (line 1, column 51); correct it'
    ],
    [`{\n  "apiKey": "${secret}"\n  "timeout": 5\n}`, 'is not JSON (line 3, column 3); correct it'],
    [secret, 'is not JSON (line 1, column 1); correct it'],
    ['['.repeat(1_000_000), 'is not JSON; correct it'],
    ['[1,2]', 'must be an object'],
    ['"hi"', 'must be an object'],
    ['null', 'must be an object'],
    ['{"environment":1}', "'environment' must be text"],
    ['{"preferences":[]}', "'preferences'"],
    ['{"preferences":{"output":"xml"}}', "'preferences.output'"],
    ['{"preferences":{"timeout":"30"}}', "'preferences.timeout'"],
    ['{"preferences":{"timeout":-1}}', "'preferences.timeout'"],
    ['{"preferences":{"retries":1.5}}', "'preferences.retries'"],
    ['{"preferences":{"color":true}}', "'preferences.color'"],
    ['{"environments":[]}', "'environments' must be an object"],
    ['{"environments":{"a b":{}}}', "'environments.a b' is not the name of an environment"],
    ['{"environments":{"demo":null}}', "'environments.demo'"],
    ['{"environments":{"demo":{"baseUrl":1}}}', "'environments.demo.baseUrl'"],
    ['{"environments":{"demo":{"messagesUrl":[]}}}', "'environments.demo.messagesUrl'"],
    ['{"environments":{"demo":{"apiKey":12345678}}}', "'environments.demo.apiKey'"],
    [
      '{"environments":{"demo":{"keyOrigins":"https://a.example"}}}',
      "'environments.demo.keyOrigins'"
    ],
    ['{"environments":{"demo":{"keyOrigins":[1]}}}', "'environments.demo.keyOrigins.0'"]
  ]
  test.each(wrong)('%s', async (content, problem) => {
    saveFile(content)
    for (const attempt of [storeHere().read(), storeHere().change(useStaging)]) {
      const failure = await attempt.catch(error => error)
      expect(failure).toMatchObject({
        code: 'local',
        exitCode: 9,
        hint: `mv -i ${path} ${path}.old`,
        cause: undefined
      })
      expect(failure.message).toContain(`the config file ${path} `)
      expect(failure.message).toContain(problem)
      expect(failure.message).not.toMatch(/secret|12345678/)
    }
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('bytes that are not UTF-8', async () => {
    saveFile(Buffer.from([0x7b, 0xff, 0x7d]))
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({
      message: expect.stringContaining('UTF-8')
    })
    expect(readFileSync(path)).toEqual(Buffer.from([0x7b, 0xff, 0x7d]))
  })

  test.each([
    ['a directory', () => mkdirSync(path), 'is not a regular file'],
    ['a device', () => symlinkSync('/dev/null', path), 'is not a regular file'],
    [
      'a dangling link',
      () => symlinkSync(join(directory, 'nowhere'), path),
      'link to a file that does not exist'
    ],
    ['a link to itself', () => symlinkSync(path, path), 'cannot be read: too many symbolic links']
  ])('%s', async (_case, make, problem) => {
    mkdirSync(directory, { recursive: true })
    make()
    const before = lstatSync(path)
    for (const attempt of [storeHere().read(), storeHere().change(useStaging)]) {
      await expect(attempt).rejects.toMatchObject({
        code: 'local',
        message: expect.stringContaining(problem)
      })
    }
    expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode })
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('a config directory whose name is too long', async () => {
    const place = join(temporaryDirectory(), 'x'.repeat(300))
    const store = storeWith({ PETSTORE_CONFIG_DIR: place })
    for (const attempt of [store.read(), store.change(useStaging)]) {
      await expect(attempt).rejects.toMatchObject({
        code: 'local',
        message: expect.stringContaining('cannot be read: '),
        hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
      })
    }
  })

  test('a config directory that is a file', async () => {
    mkdirSync(join(directory, '..'), { recursive: true })
    writeFileSync(directory, 'mine')
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({ code: 'local' })
    expect(readFileSync(directory, 'utf8')).toBe('mine')
  })
})

describe('changing', () => {
  test('creates a file and directories that only their owner can access, whatever the umask', async () => {
    const umask = process.umask(0o277)
    try {
      expect((await storeHere().change(useStaging)).after).toEqual({ environment: 'staging' })
    } finally {
      process.umask(umask)
    }
    expect(readFileSync(path, 'utf8')).toBe('{\n  "environment": "staging"\n}\n')
    expect([mode(path), mode(directory)]).toEqual([0o600, 0o700])
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.json.lock.db'])
  })

  test('a file that was open to others becomes private', async () => {
    saveFile('{}')
    chmodSync(path, 0o646)
    chmodSync(directory, 0o700)
    await storeHere().change(useStaging)
    expect(mode(path)).toBe(0o600)
  })

  test.each([0o755, 0o2750, 0o711, 0o777])('a directory that exists keeps mode %o', async bits => {
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, bits)
    await storeHere().change(useStaging)
    expect(statSync(directory).mode & 0o7777).toBe(bits)
    expect(mode(path)).toBe(0o600)
  })

  test('a link to a directory is followed, and that directory keeps its mode', async () => {
    const real = join(directory, '..', 'real')
    mkdirSync(real, { recursive: true })
    chmodSync(real, 0o755)
    symlinkSync(real, directory)
    await storeHere().change(useStaging)
    expect(mode(real)).toBe(0o755)
    expect(readdirSync(real).sort()).toEqual(['config.json', 'config.json.lock.db'])
  })

  test.each([
    ['directory', () => directory, 0o500],
    ['file', () => path, 0o400]
  ] as const)('a read-only %s is not written, not even by root', async (_what, readOnly, bits) => {
    saveFile('{"later":1}')
    chmodSync(readOnly(), bits)
    const before = [lstatSync(path).ino, statSync(readOnly()).mode]
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({
      code: 'local',
      message: `${readOnly()} is read-only (mode 0${bits.toString(8)})`,
      hint: `chmod u+w ${readOnly()}`
    })
    expect([lstatSync(path).ino, statSync(readOnly()).mode]).toEqual(before)
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('a file behind a link is not written if its directory is read-only', async () => {
    const dotfiles = join(directory, '..', 'dotfiles')
    mkdirSync(directory, { recursive: true })
    mkdirSync(dotfiles)
    writeFileSync(join(dotfiles, 'petstore.json'), '{}')
    symlinkSync(join(dotfiles, 'petstore.json'), path)
    chmodSync(dotfiles, 0o500)
    await expect(storeHere().change(useStaging)).rejects.toMatchObject({
      hint: `chmod u+w ${dotfiles}`
    })
    chmodSync(dotfiles, 0o700)
    expect(readdirSync(dotfiles)).toEqual(['petstore.json'])
  })

  needs('root')('as root', () => {
    test("another user's file is not taken over", async () => {
      saveFile('{}')
      chownSync(path, 54_321, 54_321)
      await expect(storeHere().change(useStaging)).rejects.toMatchObject({
        code: 'local',
        message: expect.stringContaining(`${path} belongs to another user (54321)`)
      })
      expect(statSync(path).uid).toBe(54_321)
    })
  })

  test('keeps unknown fields, a key with dots, and a file with a byte order mark', async () => {
    saveFile('\ufeff{"later.field":{"a":[1]},"environments":{"my.demo":{"b":2}}}')
    await storeHere().change(state => saveLocalKey(state, 'k'))
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      'later.field': { a: [1] },
      environments: { 'my.demo': { b: 2 }, local: { apiKey: 'k' } }
    })
  })

  test('writes through a symbolic link and leaves the link', async () => {
    const elsewhere = join(directory, '..', 'dotfiles.json')
    mkdirSync(directory, { recursive: true })
    writeFileSync(elsewhere, '{"later":1}')
    symlinkSync(elsewhere, path)
    await storeHere().change(useStaging)
    expect(readlinkSync(path)).toBe(elsewhere)
    expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toEqual({
      later: 1,
      environment: 'staging'
    })
    expect(mode(elsewhere)).toBe(0o600)
  })

  test('writes nothing if the edit changes nothing', async () => {
    const { before, after } = await storeHere().change(state => state)
    expect(before).toEqual({})
    expect(after).toBe(before)
    expect(lstatSync(directory, { throwIfNoEntry: false })).toBeUndefined()

    saveFile('{"environment":"staging","later":12345678901234567890}')
    const saved = await storeHere().change(state => ({
      ...useStaging(state),
      preferences: undefined
    }))
    expect(saved.after).toBe(saved.before)
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  test('leaves everything unchanged if the edit fails', async () => {
    saveFile('{"later":1}')
    await expect(
      storeHere().change(() => {
        throw new RangeError('refused')
      })
    ).rejects.toThrow('refused')
    expect(readFileSync(path, 'utf8')).toBe('{"later":1}')
    await storeHere().change(useStaging)
  })

  test('removes the temporary files of killed programs, and no other file', async () => {
    saveFile('{}')
    const left = ['config.json.0123456789abcdef.tmp', 'config.json.fedcba9876543210.tmp']
    const others = [
      'config.json.old',
      'config.json.tmp',
      'config.json.bak.tmp',
      'other.json.0123456789abcdef.tmp',
      'local.db'
    ]
    for (const name of [...left, ...others]) writeFileSync(join(directory, name), 'x')
    await storeHere().change(useStaging)
    expect(readdirSync(directory).sort()).toEqual(
      ['config.json', 'config.json.lock.db', ...others].sort()
    )
  })

  test('a change that another program makes during the wait is not made twice', async () => {
    saveFile('{"later":1,"environment":"production"}')
    const release = await takeLock({ file: path, what: 'the config file', milliseconds: 0 })
    // After the other program has written, this edit changes nothing.
    const waiting = storeHere().change(state =>
      state.environment === 'staging' ? state : useStaging(state)
    )
    await new Promise(resolve => setTimeout(resolve, 50))
    writeFileSync(path, '{"later":2,"environment":"staging"}')
    release?.()
    expect((await waiting).after).toEqual({ later: 2, environment: 'staging' })
    expect(readFileSync(path, 'utf8')).toBe('{"later":2,"environment":"staging"}')
  })

  test('forty changes at once lose nothing', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `environment-${index}`)
    await Promise.all(
      names.map(name =>
        storeHere().change(state => ({
          ...state,
          environments: { ...state.environments, [name]: { apiKey: name } }
        }))
      )
    )
    const { environments = {} } = await storeHere().read()
    expect(Object.keys(environments).sort()).toEqual(names.sort())
  })

  test.each(['/proc/petstore/config', '/dev/null'])(
    'fails at %s, and does not hang',
    async place => {
      const store = storeWith({ PETSTORE_CONFIG_DIR: place })
      await expect(store.change(useStaging)).rejects.toMatchObject({
        code: 'local',
        message: expect.stringContaining('cannot be written'),
        hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
      })
    }
  )
})

function saveFile(content: string | Buffer): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(path, content)
}
