import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { configPath, databasePath, makeJournalDirectory } from '../../src/settings/location.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { hostWith } from './host.ts'

test.each([
  [{ PETSTORE_CONFIG_DIR: '/a', XDG_CONFIG_HOME: '/b' }, '/home/me', '/a'],
  [{ PETSTORE_CONFIG_DIR: 'a' }, '/home/me', resolve('a')],
  [{ PETSTORE_CONFIG_DIR: '', XDG_CONFIG_HOME: '/b' }, undefined, '/b/petstore'],
  [{ XDG_CONFIG_HOME: 'b' }, '/home/me', '/home/me/.config/petstore'],
  [{}, undefined, undefined]
])('with %j and the home %j, the config directory is %j', (env, home, directory) => {
  const host = hostWith(env, home)
  expect(configPath(host)).toBe(directory && `${directory}/config.json`)
  if (directory) expect(databasePath(host)).toBe(`${directory}/local.db`)
  else expect(() => databasePath(host)).toThrow('has no home directory')
})

test('the directories that it makes are private', async () => {
  const config = temporaryDirectory()
  const journals = join(config, 'journals')
  expect(await makeJournalDirectory(hostWith({ PETSTORE_CONFIG_DIR: config }))).toBe(journals)
  expect(statSync(journals).mode & 0o777).toBe(0o700)
  const unwritable = makeJournalDirectory(hostWith({ PETSTORE_CONFIG_DIR: '/dev/null' }))
  await expect(unwritable).rejects.toMatchObject({
    message: expect.stringContaining('/dev/null/journals cannot be written'),
    hint: expect.stringContaining('PETSTORE_JOURNAL_DIR')
  })
})
