import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

/**
 * The journal of a file in an environment, found again by the same command. It goes by the file's place and not by its contents:
 * a file that was changed meanwhile is to be noticed, and not to be imported a second time.
 */
export function journalPlace(directory: string, file: string, environment: string): string {
  const place = createHash('sha256')
    .update(JSON.stringify([realPath(file), environment]))
    .digest('hex')
    .slice(0, 12)
  return join(directory, `${readable(file)}-${place}.journal`)
}

/** Of standard input there may be many imports, and none is found again by its command alone. */
export function journalPlaceOfPipe(directory: string, file: string, now: Date, pid: number): string {
  return join(
    directory,
    `${file === '-' ? 'stdin' : readable(file)}-${now.toISOString().replace(/\W/g, '')}-${pid}.journal`,
  )
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    // A file that is not there is told of when it is to be read.
    return resolve(file)
  }
}

function readable(file: string): string {
  return basename(file)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60)
}
