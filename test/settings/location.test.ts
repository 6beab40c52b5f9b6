import { statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
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
  [{ PETSTORE_CONFIG_DIR: '', XDG_CONFIG_HOME: '/b' }, undefined, '/b/petstore'],
  [{ XDG_CONFIG_HOME: 'b' }, '/home/me', '/home/me/.config/petstore'],
  [{}, 'relative', undefined],
  [{}, undefined, undefined]
])('with %j and the home %j, the config directory is %j', (env, home, directory) => {
  const host = hostWith(env, home)
  expect(configPath(host)).toBe(directory && `${directory}/config.json`)
  expect(databasePath(host)).toBe(directory && `${directory}/local.db`)
})

test('the directory of journals is private, and an error if it is a file', async () => {
  const config = temporaryDirectory()
  const host = hostWith({ PETSTORE_CONFIG_DIR: config })
  const journals = join(config, 'journals')
  expect(await makeJournalsDirectory(host)).toBe(journals)
  expect(statSync(journals).mode & 0o777).toBe(0o700)
  writeFileSync(join(config, 'file'), '')
  const blocked = hostWith({ PETSTORE_CONFIG_DIR: join(config, 'file') })
  await expect(makeJournalsDirectory(blocked)).rejects.toMatchObject({
    code: 'local',
    hint: expect.stringContaining('PETSTORE_CONFIG_DIR')
  })
})

test('without a home directory, the hint sets a config directory', () => {
  expect(() => requireConfigPath(hostWith({}))).toThrow(
    expect.objectContaining({ code: 'local', hint: expect.stringContaining('PETSTORE_CONFIG_DIR') })
  )
})
