import { fstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { unlessSystemFails } from './errno.ts'

/** The path without links; for a file that does not exist yet, the absolute path. */
export const realPathOf = (path: string) =>
  // The system's own also finds the letters that the name has on disk (Windows, macOS).
  unlessSystemFails(() => realpathSync.native(path)) ?? resolve(path)

/** Undefined if there is no file, or this user may not inspect it. */
export const statsOf = (file: string | number): Stats | undefined =>
  unlessSystemFails(() => (typeof file === 'number' ? fstatSync(file) : statSync(file)))
