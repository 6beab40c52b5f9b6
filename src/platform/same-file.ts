import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { systemErrorCode, unlessSystemFails } from './system-error.ts'

/** As many links as Linux follows in one path. */
export const mostLinks = 40

/**
 * The path without links and `..`, also for a file that does not exist yet: its directory's real path and its name. A
 * link to a missing file leads to where that file would be.
 */
export function realPathOf(path: string, linksLeft = mostLinks): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT' || linksLeft === 0 || dirname(path) === path) return resolve(path)
  }
  const directory = realPathOf(dirname(path), linksLeft)
  const target = unlessSystemFails(() => readlinkSync(path))
  if (target === undefined) return join(directory, basename(path))
  return realPathOf(target.startsWith('/') ? target : `${directory}/${target}`, linksLeft - 1)
}

/** A file that a run uses. */
export interface UsedFile {
  /** For messages: `--rejects`, `the config file`. */
  readonly name: string
  /** A path, or an open descriptor. */
  readonly file: string | number
}

/** Refuses outputs that are one file with another output or with a file that must not be overwritten, under any name. */
export function requireSeparateFiles(outputs: readonly UsedFile[], others: readonly UsedFile[]): void {
  for (const [index, output] of outputs.entries()) {
    const same = [...outputs.slice(index + 1), ...others].find(({ file }) => isSameFile(output.file, file))
    if (same === undefined) continue
    throw new Failure('usage', `${output.name} and ${same.name} are the same file: ${output.file}`)
  }
}

/** Whether two names are one file, or would be once it exists. Devices never are: writing to one overwrites nothing. */
function isSameFile(one: string | number, other: string | number): boolean {
  const [first, second] = [identityOf(one), identityOf(other)]
  return first !== undefined && first === second
}

function identityOf(file: string | number): string | undefined {
  const stats = statsOf(file)
  if (stats !== undefined) return stats.isCharacterDevice() ? undefined : inodeOf(stats)
  if (typeof file === 'number') return undefined
  const path = realPathOf(file)
  // The directory and not its path: several paths lead to it if it is mounted several times.
  const directory = statsOf(dirname(path))
  return directory === undefined ? path : `${inodeOf(directory)}/${basename(path)}`
}

/** Tells whether a path still leads to the same file; undefined if it leads to none. */
export function inodeAt(path: string): string | undefined {
  const stats = statsOf(path)
  return stats && inodeOf(stats)
}

export const inodeOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

/** The device and the number of a file, as bigints because both can be beyond what a number holds. */
const statsOf = (file: string | number) =>
  unlessSystemFails(() =>
    typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true }),
  )
