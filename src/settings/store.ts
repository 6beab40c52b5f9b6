import { Failure } from '../failure.ts'
import { checkKey } from '../model/endpoint.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { changeConfigFile, type Edit, readConfigFile, type StateChange } from './config-file.ts'
import { configPath, requireConfigPath } from './location.ts'
import { type SavedState, savedEnvironment, saveLocalKey } from './saved-state.ts'

export type Store = ReturnType<typeof openStore>

/** Everything that is saved between runs: the config file, accessible only to the file's owner. */
export function openStore({ host, interruption }: StoreOptions) {
  let written: SavedState | undefined
  /**
   * Never creates or changes anything. After a change, it returns what was written, even if the
   * file is gone.
   */
  const read = async (): Promise<SavedState> => {
    const path = configPath(host)
    return written ?? (path === undefined ? {} : readConfigFile(path))
  }
  return {
    /**
     * Undefined if this user has no home directory. Resolved at first use: a relative path may be
     * invalid, and many commands do not need it.
     */
    get path() {
      return configPath(host)
    },
    read,
    /**
     * Reads, edits and writes while no other program does. The edit must be pure, because it may be
     * called more than once; if the file would stay the same, nothing is written. `before` runs
     * when the new content is on disk, just before it replaces the file; if it fails, nothing is
     * changed.
     */
    async change(edit: Edit, before = async () => {}): Promise<StateChange> {
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
      const change = await changeConfigFile(path, editIfDifferent, before, interruption.signal)
      written = change.after
      return change
    }
  }
}

interface StoreOptions {
  readonly host: Host
  readonly interruption: Pick<Interruption, 'signal'>
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
    const { after } = await store.change(before =>
      keyIn(before) === undefined ? saveLocalKey(before, fresh) : before
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
