import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A fresh directory of the running test, gone when the test has ended. */
export function temporaryDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'petstore-test-')))
  onTestFinished(() => {
    // A test may have taken the right to write away.
    chmodSync(path, 0o700)
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  })
  return path
}
