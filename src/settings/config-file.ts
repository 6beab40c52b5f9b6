import { isUtf8 } from 'node:buffer'
import { existsSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import {
  anotherDirectory,
  isMissing,
  placeFailure,
  systemErrorCode,
  systemFailure
} from '../platform/errno.ts'
import {
  readRegularFile,
  requireOwnFile,
  requireOwnLinks,
  requireReplaceable,
  requireWritable
} from '../platform/file-access.ts'
import { realPathOf } from '../platform/same-file.ts'
import { pathCommand } from '../platform/shell.ts'
import type { SavedState } from './saved-state.ts'

/** The state before and after a change: the same value if nothing was written. */
export interface StateChange {
  readonly before: SavedState
  readonly after: SavedState
}

export type Edit = (state: SavedState) => SavedState

const lockMilliseconds = 10_000

/** Reads, edits and replaces the config file while no other program does. */
export async function changeConfigFile(
  path: string,
  edit: Edit,
  prepare: () => Promise<void>,
  signal: AbortSignal
): Promise<StateChange> {
  const [
    { takeLock },
    { makePrivateDirectories, removeTemporaryFiles, replacePrivateFile, syncDirectory }
  ] = await Promise.all([import('../platform/lock.ts'), import('../platform/private-file.ts')])

  try {
    requireOwnLinks(path)
    makePrivateDirectories(dirname(path))
    const file = realPathOf(path)
    requireWritable(dirname(file))
    requireReplaceable(file)
    const what = 'the config file'
    const release = await takeLock({ file, what, milliseconds: lockMilliseconds, signal })
    let change: StateChange
    try {
      const before = await readConfigFile(path)
      change = { before, after: edit(before) }
      removeTemporaryFiles(file)
      // Another program may have made the same change in the meantime.
      if (change.after === before) await prepare()
      // If the path is a link, the link stays, and the file that it leads to is replaced.
      else await replacePrivateFile(file, await newText(path, change.after), prepare)
    } finally {
      release()
    }
    // After the lock is released, because the next program need not wait for this.
    syncDirectory(dirname(file))
    return change
  } catch (error) {
    const problem = `the config file ${path} is unchanged; it cannot be written`
    throw placeFailure(error, dirname(path), problem)
  }
}

/**
 * The new state as text. That it goes through conf is a requirement. conf neither reads nor writes
 * here: it writes short on a full disk, leaves copies of the keys behind if it is killed, replaces
 * links, and accepts neither empty files nor byte order marks.
 */
async function newText(path: string, state: SavedState): Promise<string> {
  const [{ stringifyJson }, { default: Conf }] = await Promise.all([
    import('../model/json.ts'),
    import('conf')
  ])
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(path),
    configName: 'config',
    deserialize: () => ({})
  })
  let text = ''
  // Conf's typings make the method private, hence no subclass and no assignment.
  Object.defineProperty(conf, '_write', {
    value: (value: unknown) => {
      text = `${stringifyJson(value, { indent: 2 })}\n`
    }
  })
  conf.store = { ...state }
  return text
}

/** Empty if there is no file. */
export async function readConfigFile(path: string): Promise<SavedState> {
  const text = readConfigText(path)
  if (text === undefined) return {}
  const { readSavedState } = await import('./saved-state-schema.ts')
  const read = readSavedState(text)
  if ('problem' in read) throw unusableFailure(path, read.problem)
  return read.state
}

/** Undefined if there is no file. */
function readConfigText(path: string): string | undefined {
  try {
    if (!isThere(path)) return undefined
    requireOwnFile(path)
    const bytes = readRegularFile(path)
    if (bytes === undefined) throw unusableFailure(path, 'is not a regular file')
    if (!isUtf8(bytes)) throw unusableFailure(path, 'is not UTF-8 text')
    return new TextDecoder().decode(bytes)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') throw unusableFailure(path, 'is a link to a file that does not exist')
    const hint = readHint(path, code)
    throw systemFailure(error, 'local', `the config file ${path} cannot be read`, hint)
  }
}

/** A cause that passes has none, such as too many open files. */
function readHint(path: string, code: string | undefined): string | undefined {
  if (code === 'EACCES') return pathCommand('chmod u+rwX', blockedPath(path))
  return ['EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code ?? '') ? anotherDirectory : undefined
}

/** What this user may not enter or read: the file, or the first directory on the way to it. */
function blockedPath(path: string): string {
  return existsSync(path) ? path : blockedPath(dirname(path))
}

/** Also false if the home is not a directory: system users may have `/dev/null`. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** The description of a problem never contains a value, which may be part of a key. */
function unusableFailure(path: string, problem: string): Failure {
  return new Failure(
    'local',
    `the config file ${path} ${problem}; correct it, or move it away to start over`,
    {
      hint: pathCommand('mv -i', path, `${path}.old`)
    }
  )
}
