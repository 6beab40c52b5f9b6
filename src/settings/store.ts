import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import type { parseJson } from '../model/json.ts'
import type { Host, Programs } from '../platform/host.ts'
import { commandLine } from '../platform/shell.ts'
import { describeSystemError, systemErrorCode } from '../platform/system-error.ts'
import { anotherDirectory, configPath, requireConfigDirectory } from './location.ts'
import type { SavedState } from './saved-state.ts'
import type { checkSavedState } from './saved-state-schema.ts'

/** What is kept between runs, in one file that is its owner's alone. */
export interface Store {
  /** The file; undefined where there is no place for one. */
  readonly path: string | undefined
  /** Never creates or changes anything. */
  read(): Promise<SavedState>
  /**
   * Reads, edits and writes with no other program in between. An edit is pure and may be called twice;
   * where it returns undefined nothing is written. Resolves to what is kept then.
   */
  change(edit: (state: SavedState) => SavedState | undefined): Promise<SavedState>
}

export function openStore(host: Host): Store {
  const read = async () => {
    const path = configPath(host)
    const text = path === undefined ? undefined : readText(path)
    return path === undefined || text === undefined ? {} : parse(path, text, await loadReading())
  }
  return {
    // Looked for when it is needed: the place may be one that can't be told, and much needs none.
    get path() {
      return configPath(host)
    },
    read,
    async change(edit) {
      const state = await read()
      if (edit(state) === undefined) return state
      const directory = requireConfigDirectory(host)
      return changeFile({ directory, path: configPath(host) ?? '', programs: host }, edit)
    },
  }
}

interface Place {
  readonly directory: string
  readonly path: string
  readonly programs: Programs
}

async function changeFile(
  { directory, path, programs }: Place,
  edit: (state: SavedState) => SavedState | undefined,
): Promise<SavedState> {
  const [
    reading,
    { stringifyJson },
    { default: Conf },
    { withLock },
    { makePrivateDirectory, replacePrivateFile, sweepAround },
  ] = await Promise.all([
    loadReading(),
    import('../model/json.ts'),
    import('conf'),
    import('../platform/lock.ts'),
    import('../platform/private-file.ts'),
  ])

  try {
    makePrivateDirectory(directory)
    // Behind a symbolic link it is the file that is locked and replaced; the link stays.
    const file = lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path)
    return await withLock(`${file}.lock`, programs, () => {
      const text = readText(path)
      const state = text === undefined ? {} : parse(path, text, reading)
      const edited = edit(state)
      if (edited === undefined) return state
      sweepAround(file)
      const conf = new Conf<Record<string, unknown>>({
        cwd: directory,
        configName: 'config',
        accessPropertiesByDotNotation: false,
        // What was just read and checked; conf's own parser knows neither empty files nor byte order marks.
        deserialize: () => ({ ...state }),
      })
      // Conf's own way of writing takes a short write for a whole one, leaves copies of the keys behind when it is killed and
      // overwrites in place where SNAP is set. Its typings have the method private, hence no subclass and no assignment.
      Object.defineProperty(conf, '_write', {
        value: (value: unknown) => replacePrivateFile(file, `${stringifyJson(value, { indent: 2 })}\n`),
      })
      conf.store = { ...edited }
      return edited
    })
  } catch (error) {
    throw error instanceof Failure || systemErrorCode(error) === undefined ? error : writeFailure(path, error)
  }
}

/** What makes a state of a text. A number of a later version goes through it digit for digit. */
interface Reading {
  readonly parseJson: typeof parseJson
  readonly checkSavedState: typeof checkSavedState
}

async function loadReading(): Promise<Reading> {
  const [{ parseJson }, { checkSavedState }] = await Promise.all([
    import('../model/json.ts'),
    import('./saved-state-schema.ts'),
  ])
  return { parseJson, checkSavedState }
}

/** Undefined where there is no file; a Failure where there is something that is no file, or that can't be read. */
function readText(path: string): string | undefined {
  try {
    if (!isThere(path)) return undefined
    // Looked at before it is opened: opening a named pipe would wait for ever.
    if (!statSync(path).isFile()) throw spoiltFailure(path, 'is no regular file')
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof Failure) throw error
    if (systemErrorCode(error) === 'ENOENT') throw spoiltFailure(path, 'is a link to a file that does not exist')
    if (systemErrorCode(error) === undefined) throw spoiltFailure(path, 'is not UTF-8 text')
    throw new Failure('local', `the config file ${path} can't be read: ${describeSystemError(error)}`, {
      hint:
        systemErrorCode(error) === 'EACCES'
          ? commandLine('chmod u+rwX', { paths: [dirname(path), path] })
          : anotherDirectory,
      cause: error,
    })
  }
}

/** A home that is no directory, as system users have it (`/dev/null`), holds nothing either. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return false
    throw error
  }
}

/** Neither the parser's own words nor its error are passed on: both hold a piece of the file, and so perhaps of a key. */
function parse(path: string, text: string, { parseJson, checkSavedState }: Reading): SavedState {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw spoiltFailure(path, 'is not JSON')
  }
  const checked = checkSavedState(value)
  if ('problem' in checked) throw spoiltFailure(path, `has the wrong shape: ${checked.problem}`)
  return checked.state
}

function spoiltFailure(path: string, problem: string): Failure {
  return new Failure('local', `the config file ${path} ${problem}; correct it, or set it aside and begin anew`, {
    hint: commandLine('mv', { paths: [path, `${path}.old`] }),
  })
}

function writeFailure(path: string, error: unknown): Failure {
  const isRefused = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')
  return new Failure(
    'local',
    `the config file ${path} can't be written: ${describeSystemError(error)}; it is as it was`,
    {
      hint: isRefused ? anotherDirectory : commandLine('df -h', { paths: [dirname(path)] }),
      cause: error,
    },
  )
}
