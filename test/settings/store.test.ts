import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SavedState } from '../../src/settings/config-text.ts'
import { takeLock } from '../../src/system/lock.ts'
import { pause } from '../../src/system/promises.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { storeWith } from './host.ts'

let directory: string
let path: string
const store = () => storeWith({ PETSTORE_CONFIG_DIR: directory })
const mode = (file: string) => statSync(file).mode & 0o777
const useStaging = (state: SavedState): SavedState => ({ ...state, environment: 'staging' })

function save(content: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(path, content)
}

beforeEach(() => {
  directory = join(temporaryDirectory(), 'a', 'petstore')
  path = join(directory, 'config.json')
})

test('without a config file nothing is saved, and reading creates nothing', async () => {
  expect(await store().read()).toEqual({})
  expect(lstatSync(directory, { throwIfNoEntry: false })).toBeUndefined()
})

test('without a home directory, reading finds nothing and writing is an error', async () => {
  expect(await storeWith({}).read()).toEqual({})
  await expect(storeWith({}).change(useStaging)).rejects.toMatchObject({
    code: 'local',
    hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
  })
})

const key = 'sk_live_secret'
test.each([
  [`{"environments":{"demo":{"apiKey":"${key}"`, 'is not JSON (line 1)'],
  [`{\n  "apiKey": "${key}"\n  "timeout": 5\n}`, 'is not JSON (line 3)'],
  ['['.repeat(1_000_000), 'is not JSON'],
  ['[1,2]', 'must be a JSON object'],
  ['{"environment":1}', 'has a wrong value at environment'],
  ['{"preferences":{"output":"xml"}}', 'at preferences.output'],
  ['{"preferences":{"timeout":"30"}}', 'at preferences.timeout'],
  ['{"preferences":{"retries":1.5}}', 'at preferences.retries'],
  ['{"environments":{"my env; touch secret":{}}}', 'has a wrong name of an environment'],
  ['{"environments":{"demo":null}}', 'at environments.demo'],
  ['{"environments":{"demo":{"apiKey":12345678}}}', 'at environments.demo.apiKey'],
  ['{"environments":{"demo":{"readOnly":"no"}}}', 'at environments.demo.readOnly']
])('%.60s is named and left as it is', async (content, problem) => {
  save(content)
  for (const attempt of [store().read(), store().change(useStaging)]) {
    const failure = await attempt.catch(error => error)
    expect(failure).toMatchObject({ code: 'local', hint: `mv -i ${path} ${path}.old` })
    expect(failure.message).toContain(`the config file ${path} `)
    expect(failure.message).toContain(problem)
    expect(failure.message).not.toMatch(/secret|12345678/)
  }
  expect(readFileSync(path, 'utf8')).toBe(content)
})

describe('a change', () => {
  test('creates what only its owner can access', async () => {
    await store().change(useStaging)
    expect(readFileSync(path, 'utf8')).toBe('{\n  "environment": "staging"\n}\n')
    expect([mode(path), mode(directory)]).toEqual([0o600, 0o700])
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.json.lock.db'])
  })

  test('keeps unknown fields, names with dots, and exact numbers', async () => {
    const later = '{"count":9007199254740993,"rate":1.10,"e.f":[-9223372036854775808]}'
    save(`{"later.field":${later},"environments":{"my.demo":{"b":2}}}`)
    await store().change(useStaging)
    const written = readFileSync(path, 'utf8').replace(/\s/g, '')
    expect(written).toContain(`"later.field":${later}`)
    expect(written).toContain('"environments":{"my.demo":{"b":2}}')
  })

  test('writes through a symbolic link and leaves the link', async () => {
    const elsewhere = join(temporaryDirectory(), 'dotfiles.json')
    mkdirSync(directory, { recursive: true })
    writeFileSync(elsewhere, '{"later":1}')
    symlinkSync(elsewhere, path)
    await store().change(useStaging)
    expect(readlinkSync(path)).toBe(elsewhere)
    expect(readFileSync(elsewhere, 'utf8')).toContain('"staging"')
  })

  test('waits for the lock of another program', async () => {
    save('{}')
    const { signal } = new AbortController()
    const release = await takeLock({ file: path, what: 'it', milliseconds: 0, signal })
    const changing = store().change(useStaging)
    await pause(50)
    expect(readFileSync(path, 'utf8')).toBe('{}')
    release()
    expect((await changing).after).toEqual({ environment: 'staging' })
  })

  test('writes nothing if the edit fails or changes nothing', async () => {
    save('{"later":1}')
    const fail = () => {
      throw new RangeError('refused')
    }
    await expect(store().change(fail)).rejects.toThrow('refused')
    const { before, after } = await store().change(state => state)
    expect(after).toBe(before)
    expect(readFileSync(path, 'utf8')).toBe('{"later":1}')
  })

  test.each(['/dev/null/x', '/proc/x'])('at %s is an error with another place', async place => {
    const failing = storeWith({ PETSTORE_CONFIG_DIR: place }).change(useStaging)
    await expect(failing).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining('cannot be written'),
      hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
    })
  })
})
