import { isUtf8 } from 'node:buffer'
import { existsSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { checkKey } from '../model/endpoint.ts'
import {
  anotherDirectory,
  isUnwritablePlace,
  systemErrorCode,
  systemFailure,
} from '../platform/errno.ts'
import {
  readRegularFile,
  requireOwnFile,
  requireOwnLinks,
  requireReplaceable,
  requireWritable,
} from '../platform/file-access.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { realPathOf } from '../platform/same-file.ts'
import { commandLine } from '../platform/shell.ts'
import { configPath, requireConfigPath } from './location.ts'
import { type SavedState, savedEnvironment, saveLocalKey } from './saved-state.ts'

/**
 * The config file: everything that is saved between runs, accessible only to the file's owner. conf
 * holds its place and shape; reading and writing are ours, because conf writes short on a full
 * disk, leaves copies of the keys behind if it is killed, and replaces links.
 */
export interface Store {
  /**
   * Undefined if this user has no home directory. Resolved at first use: a relative path may be
   * invalid, and many commands do not need it.
   */
  readonly path: string | undefined
  /**
   * Never creates or changes anything. After a change, it returns what was written, even if the
   * file is gone.
   */
  read(): Promise<SavedState>
  /**
   * Reads, edits and writes while no other program does. The edit must be pure, because it may be
   * called more than once; if the file would stay the same, nothing is written. `before` runs when
   * everything is checked that can be checked; if it fails, nothing is written.
   */
  change(edit: Edit, before?: () => Promise<void>): Promise<Change>
}

/** The state before and after: the same value if nothing was written. */
interface Change {
  readonly before: SavedState
  readonly after: SavedState
}

type Edit = (state: SavedState) => SavedState

interface StoreOptions {
  readonly host: Host
  readonly interruption: Pick<Interruption, 'signal'>
}

const lockMilliseconds = 10_000

export function openStore(options: StoreOptions): Store {
  const { host } = options
  let written: SavedState | undefined
  const read = async (): Promise<SavedState> => {
    const path = configPath(host)
    return written ?? (path === undefined ? {} : readState(path))
  }
  return {
    get path() {
      return configPath(host)
    },
    read,
    async change(edit, before = async () => {}) {
      const { stringifyJson } = await import('../model/json.ts')
      const editIfDifferent = (state: SavedState) => {
        const edited = edit(state)
        return stringifyJson(edited) === stringifyJson(state) ? state : edited
      }
      const state = await read()
      if (editIfDifferent(state) === state) {
        await before()
        return { before: state, after: state }
      }
      const path = requireConfigPath(host)
      const change = await changeFile(path, editIfDifferent, before, options)
      written = change.after
      return change
    },
  }
}

/**
 * The API key of the local service, created at its first use. One that cannot be saved is valid for
 * this run alone.
 */
export async function localKey(store: Store): Promise<{ key: string; problem?: Failure }> {
  const saved = keyIn(await store.read())
  if (saved !== undefined) return { key: saved }

  const { randomBytes } = await import('node:crypto')
  const fresh = `local_${randomBytes(24).toString('base64url')}`
  try {
    // Another program may create one at the same time: the first one counts.
    const { after } = await store.change((before) =>
      keyIn(before) === undefined ? saveLocalKey(before, fresh) : before,
    )
    return { key: keyIn(after) ?? fresh }
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'local')) throw error
    return { key: fresh, problem: error }
  }
}

function keyIn(state: SavedState): string | undefined {
  const { apiKey } = savedEnvironment(state, 'local')
  return apiKey && checkKey(apiKey, "the API key saved for 'local'")
}

async function changeFile(
  path: string,
  edit: Edit,
  prepare: () => Promise<void>,
  { interruption: { signal } }: StoreOptions,
): Promise<Change> {
  const [
    { stringifyJson },
    { default: Conf },
    { takeLock },
    { makePrivateDirectories, removeTemporaryFiles, replacePrivateFile, syncDirectory },
  ] = await Promise.all([
    import('../model/json.ts'),
    import('conf'),
    import('../platform/lock.ts'),
    import('../platform/private-file.ts'),
  ])

  try {
    requireOwnLinks(path)
    makePrivateDirectories(dirname(path))
    // If the path is a link, the link stays, and the file that it leads to is replaced.
    const file = realPathOf(path)
    requireWritable(dirname(file))
    requireReplaceable(file)
    const release = await takeLock({
      file,
      what: 'the config file',
      milliseconds: lockMilliseconds,
      signal,
    })
    let change: Change
    try {
      const before = await readState(path)
      change = { before, after: edit(before) }
      await prepare()
      // Another program may have made the same change in the meantime.
      if (change.after === before) return change
      removeTemporaryFiles(file)
      const conf = new Conf<Record<string, unknown>>({
        cwd: dirname(path),
        configName: 'config',
        accessPropertiesByDotNotation: false,
        // Returns the state that was just read and checked: conf's own parser accepts neither empty
        // files nor byte order marks.
        deserialize: () => ({ ...before }),
      })
      // Conf's typings make the method private, hence no subclass and no assignment.
      Object.defineProperty(conf, '_write', {
        value: (value: unknown) =>
          replacePrivateFile(file, `${stringifyJson(value, { indent: 2 })}\n`),
      })
      conf.store = { ...change.after }
    } finally {
      release()
    }
    // After the lock is released, because the next program need not wait for this.
    syncDirectory(dirname(file))
    return change
  } catch (error) {
    throw writeFailure(path, error)
  }
}

/** Empty if there is no file. */
async function readState(path: string): Promise<SavedState> {
  const text = readText(path)
  if (text === undefined) return {}
  const { readSavedState } = await import('./saved-state-schema.ts')
  const read = readSavedState(text)
  if ('problem' in read) throw unusableFailure(path, read.problem)
  return read.state
}

/** Undefined if there is no file. */
function readText(path: string): string | undefined {
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
    const hint =
      code === 'EACCES'
        ? commandLine('chmod u+rwX', { paths: [blockedPath(path)] })
        : anotherDirectory
    throw systemFailure(error, 'local', `the config file ${path} cannot be read`, hint)
  }
}

/** What this user may not enter or read: the file, or the first directory on the way to it. */
function blockedPath(path: string): string {
  const directory = dirname(path)
  return directory === path || existsSync(path) ? path : blockedPath(directory)
}

/** Also false if the home is not a directory: system users may have `/dev/null`. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return false
    throw error
  }
}

/** The description of a problem never contains a value, which may be part of a key. */
function unusableFailure(path: string, problem: string): Failure {
  return new Failure(
    'local',
    `the config file ${path} ${problem}; correct it, or move it away to start over`,
    {
      hint: commandLine('mv -i', { paths: [path, `${path}.old`] }),
    },
  )
}

function writeFailure(path: string, error: unknown): unknown {
  const hint = isUnwritablePlace(error)
    ? anotherDirectory
    : commandLine('df -h', { paths: [dirname(path)] })
  return systemFailure(
    error,
    'local',
    `the config file ${path} is unchanged; it cannot be written`,
    hint,
  )
}
