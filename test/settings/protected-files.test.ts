import { expect, test } from 'vitest'
import { protectedFiles, refuseProtected } from '../../src/settings/protected-files.ts'
import { hostWith } from './host.ts'

test('no output may overwrite the config file, its lock, or a part of the local database', () => {
  const host = hostWith({ PETSTORE_CONFIG_DIR: '/a' })
  const config = [
    { name: 'the config file', file: '/a/config.json' },
    { name: "the config file's lock", file: '/a/config.json.lock.db' }
  ]
  for (const { file } of [...config, { file: '/b/x.journal.lock.db' }]) {
    expect(() => refuseProtected({ name: '--data', file }, host)).toThrow(file)
  }
  expect(() => refuseProtected({ name: '--data', file: '/b/pets.db' }, host)).not.toThrow()
  expect(protectedFiles(host)).toEqual([
    ...config,
    ...['/a/local.db', '/a/local.db-journal', '/a/local.db-wal', '/a/local.db-shm'].map(file => ({
      name: 'the local database',
      file
    }))
  ])
})

test('without a home directory there is nothing to protect', () => {
  expect(protectedFiles(hostWith({}))).toEqual([])
})
