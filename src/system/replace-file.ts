import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { realPathOf } from './same-file.ts'

/**
 * Replaces the content of a file at once: after a failure or a kill it has the old content. Only
 * one program may do so at a time. What a killed one left behind is removed.
 */
export function replacePrivateFile(path: string, content: string): void {
  const target = realPathOf(path)
  const temporary = `${target}.tmp`
  rmSync(temporary, { force: true })
  try {
    writeToDisk(temporary, content)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function writeToDisk(path: string, content: string) {
  const file = openSync(path, 'wx', 0o600)
  try {
    // Bytes and not text: only for them does Node go on after a part was written.
    writeFileSync(file, Buffer.from(content))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
