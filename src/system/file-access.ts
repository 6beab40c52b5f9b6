import { statSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { isWindows, pathCommand } from '../text/shell.ts'

/** Why other users can change a file or a directory, or read a file; undefined if they cannot. */
export function exposureOf(path: string): Failure | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  // On Windows, Node makes up the mode.
  if (stats === undefined || isWindows) return undefined
  const isFile = stats.isFile()
  if ((stats.mode & (isFile ? 0o066 : 0o022)) === 0) return undefined
  const problem = `${path} can be ${isFile ? 'read or ' : ''}changed by other users`
  const hint = pathCommand(isFile ? 'chmod 600' : 'chmod go-w', path)
  return new Failure('local', problem, { hint })
}
