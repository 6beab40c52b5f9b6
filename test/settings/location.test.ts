import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { configDirectory, configPath, databasePath, requireConfigDirectory } from '../../src/settings/location.ts'
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
  [{}, undefined, undefined],
])('with %j and the home %j, the config directory is %j', (env, home, directory) => {
  expect(configDirectory(hostWith(env, home))).toBe(directory)
})

test('the files in it', () => {
  const host = hostWith({ PETSTORE_CONFIG_DIR: '/a' })
  expect(configPath(host)).toBe('/a/config.json')
  expect(databasePath(host)).toBe('/a/local.db')
  expect(configPath(hostWith({}))).toBeUndefined()
})

test('without a home, the hint sets a config directory', () => {
  expect(() => requireConfigDirectory(hostWith({}))).toThrow(
    expect.objectContaining({ code: 'local', hint: expect.stringContaining('PETSTORE_CONFIG_DIR') }),
  )
})
