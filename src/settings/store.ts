import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { isMissing, placeFailure } from '../system/errno.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { realPathOf, statsOf } from '../system/same-file.ts'
import { configPath, requireConfigPath } from './location.ts'
import type { SavedState } from './saved-state.ts'

export type Store = ReturnType<typeof openStore>

/** What is saved between runs: the config file, which only its owner can read. */
export function openStore(host: Host, interruption: Pick<Interruption, 'signal'>) {
  return {
    read: () => readState(host),
    /** The state before and after an edit. If the edit returns the state itself, nothing is written. */
    change: async (edit: (state: SavedState) => SavedState) => {
      const path = requireConfigPath(host)
      try {
        return await changeFile(path, edit, interruption.signal)
      } catch (error) {
        const problem = `the config file ${path} is unchanged; it cannot be written`
        throw placeFailure(error, problem)
      }
    }
  }
}

/** Without conf, which takes longer to load than all else that reads. */
async function readState(host: Host): Promise<SavedState> {
  const path = configPath(host)
  const content = path && readText(path)
  if (path === undefined || content === undefined) return {}
  const { readConfigText } = await import('./config-text.ts')
  return readConfigText(path, content)
}

/** Undefined if nothing is saved. */
function readText(path: string) {
  try {
    requireNoPipe(path)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw placeFailure(error, `the config file ${path} cannot be read`)
  }
}

/** To read a named pipe would wait for its writer. */
function requireNoPipe(path: string) {
  if (statsOf(path)?.isFIFO()) throw new Failure('local', `the config file ${path} is a named pipe`)
}

async function changeFile(
  path: string,
  edit: (state: SavedState) => SavedState,
  signal: AbortSignal
) {
  const { makePrivateDirectories } = await import('../system/private-file.ts')
  const { takeLock } = await import('../system/lock.ts')
  const { openConf } = await import('./conf.ts')
  makePrivateDirectories(dirname(path))
  const what = 'the config file'
  // Two paths may lead to one file.
  const file = realPathOf(path)
  const release = await takeLock({ file, what, milliseconds: 30_000, signal })
  try {
    requireNoPipe(path)
    const conf = openConf(path)
    const before = conf.store
    const after = edit(before)
    if (after !== before) conf.store = after
    return { before, after }
  } finally {
    release()
  }
}
