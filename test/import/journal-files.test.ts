import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { realFiles } from '../../src/import/journal.ts'
import { temporaryDirectory } from '../support/temp.ts'

let path: string
beforeEach(() => {
  path = join(temporaryDirectory(), 'journal')
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
      false
    ]
  ])('%s', async (_, change, isAtPath) => {
    const file = await realFiles.open(path, 'ax+')
    await realFiles.append(file, Buffer.from('Rex'))
    change()
    expect(await realFiles.inspect(file, path)).toEqual({ size: 3, isAtPath })
    await realFiles.close(file)
  })

  test('fails for an impossible path', async () => {
    const file = await realFiles.open(path, 'ax+')
    await expect(realFiles.inspect(file, '\0')).rejects.toThrow(TypeError)
    // Only a missing file counts as moved.
    await expect(realFiles.inspect(file, 'x'.repeat(300))).rejects.toMatchObject({
      code: 'ENAMETOOLONG'
    })
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
    }
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

  test('is synchronized after a journal is created', async () => {
    const files = (await import('../../src/import/journal.ts')).realFiles
    const { syncDirectory } = await import('../../src/platform/private-file.ts')
    await files.create(path, 'head')
    expect(readFileSync(path, 'utf8')).toBe('head')
    expect(vi.mocked(syncDirectory).mock.calls).toEqual([[dirname(path)]])
  })
})
