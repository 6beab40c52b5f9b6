import { chmodSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { realFiles } from '../../src/import/journal.ts'
import { temporaryDirectory } from '../support/temp.ts'

let path: string
beforeEach(() => {
  path = join(temporaryDirectory(), 'journal')
})

test('the owner can read and write a new file under any umask; an existing file keeps its mode', async () => {
  const umask = process.umask(0o777)
  const made = await realFiles.open(path, 'ax+').finally(() => process.umask(umask))
  writeFileSync(`${path}-old`, '')
  chmodSync(`${path}-old`, 0o640)
  const opened = await realFiles.open(`${path}-old`, 'r+')
  for (const file of [made, opened]) await realFiles.close(file)
  expect([path, `${path}-old`].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o640])
})

test('removing a file twice is not an error', async () => {
  writeFileSync(path, '')
  await realFiles.remove(path)
  expect(existsSync(path)).toBe(false)
  await realFiles.remove(path)
})

describe('inspecting an open file', () => {
  test.each<[what: string, change: () => void, isAtPath: boolean]>([
    ['that is unchanged', () => {}, true],
    ['that was deleted', () => rmSync(path), false],
    ['that was moved', () => renameSync(path, `${path}-moved`), false],
    [
      'that was replaced',
      () => {
        writeFileSync(`${path}-new`, '')
        renameSync(`${path}-new`, path)
      },
      false,
    ],
  ])('%s', async (_, change, isAtPath) => {
    const file = await realFiles.open(path, 'ax+')
    await realFiles.write(file, Buffer.from('Rex'))
    change()
    expect(await realFiles.inspect(file, path)).toEqual({ size: 3, isAtPath })
    await realFiles.close(file)
  })

  test('fails for an impossible path', async () => {
    const file = await realFiles.open(path, 'ax+')
    await expect(realFiles.inspect(file, '\0')).rejects.toThrow(TypeError)
    // Only a missing file counts as moved.
    await expect(realFiles.inspect(file, 'x'.repeat(300))).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
    await realFiles.close(file)
  })

  const inodeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.ino

  // On Linux, both directories have the inode 1.
  test.runIf(inodeOf('/proc') === inodeOf('/sys') && existsSync('/sys'))(
    'does not confuse it with a file that has the same inode on another device',
    async () => {
      const file = await realFiles.open('/proc', 'r')
      expect(await realFiles.inspect(file, '/sys')).toMatchObject({ isAtPath: false })
      expect(await realFiles.inspect(file, '/proc')).toMatchObject({ isAtPath: true })
      await realFiles.close(file)
    },
  )
})

// Only a power cut could show whether this works, so the test checks the calls.
describe('the directory', () => {
  beforeAll(() => {
    vi.resetModules()
    vi.doMock('../../src/platform/private-file.ts', { spy: true })
  })
  afterAll(() => {
    vi.doUnmock('../../src/platform/private-file.ts')
    vi.resetModules()
  })

  test('of the new name is synchronized after a rename', async () => {
    const files = (await import('../../src/import/journal.ts')).realFiles
    const { syncDirectory } = await import('../../src/platform/private-file.ts')
    const directory = temporaryDirectory()
    const [from, to] = [join(directory, 'from'), join(directory, 'to')]
    writeFileSync(from, '')
    await files.rename(from, to)
    expect(existsSync(to)).toBe(true)
    expect(vi.mocked(syncDirectory).mock.calls).toEqual([[directory]])
  })
})
