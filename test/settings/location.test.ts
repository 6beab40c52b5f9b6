import { statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  configPath,
  databasePath,
  makeJournalsDirectory,
  requireConfigPath
} from '../../src/settings/location.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { hostWith } from './host.ts'

test.each([
  [{ PETSTORE_CONFIG_DIR: '/a', XDG_CONFIG_HOME: '/b' }, '/home/me', '/a'],
  [{ PETSTORE_CONFIG_DIR: 'a' }, '/home/me', resolve('a')],
  [{ PETSTORE_CONFIG_DIR: '', XDG_CONFIG_HOME: '/b' }, '/home/me', '/b/petstore'],
  [{ XDG_CONFIG_HOME: 'b' }, '/home/me', '/home/me/.config/petstore'],
  [{ XDG_CONFIG_HOME: '' }, '/home/me', '/home/me/.config/petstore'],
  [{ XDG_CONFIG_HOME: '/b' }, undefined, '/b/petstore'],
  [{}, '/home/me', '/home/me/.config/petstore'],
  [{}, 'relative', undefined],
  [{}, '', undefined],
  [{}, undefined, undefined]
])('with %j and the home %j, the config directory is %j', (env, home, directory) => {
  expect(configPath(hostWith(env, home))).toBe(directory && `${directory}/config.json`)
})

test('the config directory contains the config file and the database', () => {
  const host = hostWith({ PETSTORE_CONFIG_DIR: '/a' })
  expect(configPath(host)).toBe('/a/config.json')
  expect(databasePath(host)).toBe('/a/local.db')
  expect(configPath(hostWith({}))).toBeUndefined()
})

describe('the directory of journals', () => {
  test('is created, with the config directory, so that only its owner can access it', async () => {
    const home = temporaryDirectory()
    const directory = await makeJournalsDirectory(hostWith({}, home))
    expect(directory).toBe(join(home, '.config', 'petstore', 'journals'))
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(await makeJournalsDirectory(hostWith({}, home))).toBe(directory)
  })

  test('is an error if it is a file, with its path and a hint', async () => {
    const config = temporaryDirectory()
    writeFileSync(join(config, 'journals'), '')
    await expect(
      makeJournalsDirectory(hostWith({ PETSTORE_CONFIG_DIR: config }))
    ).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining(
        `the journal cannot be written: ${join(config, 'journals')}: `
      ),
      hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
    })
  })

  test('is the same error as for the config directory if there is no home directory', async () => {
    await expect(makeJournalsDirectory(hostWith({}))).rejects.toMatchObject({
      message: expect.not.stringContaining('journal')
    })
  })
})

test('without a home directory, the hint sets a config directory', () => {
  expect(() => requireConfigPath(hostWith({}))).toThrow(
    expect.objectContaining({
      code: 'local',
      hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
    })
  )
})
