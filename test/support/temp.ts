import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a directory that is removed when the current test ends. */
export function temporaryDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'petstore-test-')))
  onTestFinished(() => {
    // The test may have made it read-only.
    chmodSync(path, 0o700)
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  })
  return path
}
