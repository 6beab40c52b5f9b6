import {
  type BigIntStats,
  fstatSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { systemErrorCode, systemFailure, unlessSystemFails } from './errno.ts'

/** The number of links that Linux follows in one path. */
export const mostLinks = 40

/**
 * The path without links and `..`. For a file that does not exist yet, it is the directory's real
 * path and the name; for a link to a missing file, the place of that file.
 */
export function realPathOf(path: string, linksLeft = mostLinks): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT' || linksLeft === 0 || dirname(path) === path)
      return absolute(path)
  }
  const directory = realPathOf(dirname(path), linksLeft)
  const target = unlessSystemFails(() => readlinkSync(path))
  if (target === undefined) return join(directory, basename(path))
  return realPathOf(target.startsWith('/') ? target : `${directory}/${target}`, linksLeft - 1)
}

function absolute(path: string): string {
  try {
    return resolve(path)
  } catch (error) {
    throw systemFailure(
      error,
      'local',
      'the working directory does not exist any more',
      'cd "$HOME"'
    )
  }
}

/** A file that a run uses. */
export interface UsedFile {
  /** Its name in messages: `--rejects`, `the config file`. */
  readonly name: string
  /** A path, or an open descriptor. Undefined if there is no such file in this run. */
  readonly file: string | number | undefined
}

/**
 * Refuses outputs that are, under any name, the same file as another output or as a file that must
 * not be overwritten.
 */
export function requireSeparateFiles(
  outputs: readonly UsedFile[],
  others: readonly UsedFile[]
): void {
  for (const [index, output] of outputs.entries()) {
    const identity = identityOf(output.file)
    const same = [...outputs.slice(index + 1), ...others].find(
      ({ file }) => identityOf(file) === identity
    )
    if (identity === undefined || same === undefined) continue
    throw new Failure('usage', `${output.name} and ${same.name} are the same file: ${output.file}`)
  }
}

/**
 * The same for two names of one file, also if it does not exist yet. Devices have none: writing
 * overwrites nothing.
 */
function identityOf(file: UsedFile['file']): string | undefined {
  if (file === undefined) return undefined
  if (statsOf(file)?.isCharacterDevice()) return undefined
  const inode = inodeAt(file)
  if (inode !== undefined || typeof file === 'number') return inode
  const path = realPathOf(file)
  // Compares directories by inode, not by path: a directory that is mounted several times has
  // several paths.
  const directory = inodeAt(dirname(path))
  return directory === undefined ? path : `${directory}/${basename(path)}`
}

/** Undefined if there is no file, or this user may not inspect it. */
export function statsOf(file: string | number): Stats | undefined {
  return unlessSystemFails(() => (typeof file === 'number' ? fstatSync(file) : statSync(file)))
}

/**
 * Identifies a file, to check later whether it is still the same; undefined if there is none. The
 * device and the number are bigints, because a number may be too small for either.
 */
export function inodeAt(file: string | number): string | undefined {
  const options = { bigint: true } as const
  return unlessSystemFails(() =>
    inodeOf(typeof file === 'number' ? fstatSync(file, options) : statSync(file, options))
  )
}

export const inodeOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`
