import type { Host } from '../platform/host.ts'
import { lockPathOf, refuseLock } from '../platform/lock.ts'
import { requireSeparateFiles, type UsedFile } from '../platform/same-file.ts'
import { filesBeside } from '../platform/sqlite-files.ts'
import { configPath, databasePath } from './location.ts'

/** Refuses the config file and every lock. */
export function refuseProtected(output: UsedFile & { readonly file: string }, host: Host): void {
  requireSeparateFiles([output], configFiles(host))
  refuseLock(output.file)
}

/** The config file and its lock, which no output may overwrite. */
function configFiles(host: Host): UsedFile[] {
  const path = configPath(host)
  if (path === undefined) return []
  return [
    { name: 'the config file', file: path },
    { name: "the config file's lock", file: lockPathOf(path) }
  ]
}

/** The same with the local service's database. */
export function protectedFiles(host: Host): UsedFile[] {
  const path = databasePath(host)
  const parts = path === undefined ? [] : [path, ...filesBeside(path)]
  const database = parts.map(file => ({ name: 'the local database', file }))
  return [...configFiles(host), ...database]
}
