import { readFileSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { isMissing, placeFailure } from '../system/errno.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { statsOf } from '../system/same-file.ts'
import type { SavedState } from './config-text.ts'
import { configPath, requireConfigPath } from './location.ts'

export type Store = ReturnType<typeof openStore>

/** What is saved between runs: the config file, which only its owner can read. */
export function openStore(host: Host, interruption: Pick<Interruption, 'signal'>) {
  return {
    /** Without conf, which takes longer to load than all else that reads. */
    read: async (): Promise<SavedState> => {
      const path = configPath(host)
      const content = path && readText(path)
      if (path === undefined || content === undefined) return {}
      const { readConfigText } = await import('./config-text.ts')
      return readConfigText(path, content)
    },
    /** The state before and after an edit. If the edit returns the state itself, nothing is written. */
    change: async (edit: (state: SavedState) => SavedState) => {
      const path = requireConfigPath(host)
      requireNoPipe(path)
      const { changeConfig } = await import('./conf.ts')
      try {
        return await changeConfig(path, edit, interruption.signal)
      } catch (error) {
        throw placeFailure(error, `the config file ${path} is unchanged; it cannot be written`)
      }
    }
  }
}

/** Undefined if nothing is saved. */
function readText(path: string) {
  requireNoPipe(path)
  try {
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
