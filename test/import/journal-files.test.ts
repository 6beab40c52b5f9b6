import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { realFiles } from '../../src/import/journal-files.ts'
import { syncDirectory } from '../../src/platform/private-file.ts'
import { temporaryDirectory } from '../support/temp.ts'

// Only a power cut would show the effect.
vi.mock('../../src/platform/private-file.ts', { spy: true })

test('a rename is synchronized in the directory of the new name', async () => {
  const directory = temporaryDirectory()
  const [from, to] = [join(directory, 'from'), join(directory, 'to')]
  writeFileSync(from, '')
  await realFiles.rename(from, to)
  expect(existsSync(to)).toBe(true)
  expect(vi.mocked(syncDirectory).mock.calls).toEqual([[directory]])
})
