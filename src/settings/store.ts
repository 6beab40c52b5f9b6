import { chmodSync, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { checkKey } from '../model/endpoint.ts'
import { placeFailure } from '../platform/errno.ts'
import type { Host } from '../platform/host.ts'
import { pathCommand } from '../platform/shell.ts'
import { configPath, requireConfigPath } from './location.ts'
import { type SavedState, savedEnvironment, saveLocalKey } from './saved-state.ts'

/** The state before and after a change. */
export interface StateChange {
  readonly before: SavedState
  readonly after: SavedState
}

export type Store = ReturnType<typeof openStore>

/** What is saved between runs: a file of conf, which only its owner can read. */
export function openStore({ host, signal }: { host: Host; signal: () => AbortSignal }) {
  const read = async (): Promise<SavedState> => {
    const path = configPath(host)
    return path === undefined || !existsSync(path) ? {} : (await openConf(path)).store
  }
  return {
    get path() {
      return configPath(host)
    },
    read,
    /** `prepare` runs before the new content takes effect; if it fails, nothing is changed. */
    async change(
      edit: (state: SavedState) => SavedState,
      prepare = async () => {}
    ): Promise<StateChange> {
      const path = requireConfigPath(host)
      try {
        const [conf, { takeLock }] = await Promise.all([
          openConf(path),
          import('../platform/lock.ts')
        ])
        const release = await takeLock({
          file: path,
          what: 'the config file',
          milliseconds: 10_000,
          signal: signal()
        })
        try {
          const before = conf.store
          const after = edit(before)
          await prepare()
          if (after !== before) conf.store = after
          return { before, after }
        } finally {
          release()
        }
      } catch (error) {
        const problem = `the config file ${path} is unchanged; it cannot be written`
        throw placeFailure(error, dirname(path), problem)
      }
    }
  }
}

async function openConf(path: string) {
  const [{ default: Conf }, { readSavedState }] = await Promise.all([
    import('conf'),
    import('./saved-state-schema.ts')
  ])
  const isNew = !existsSync(dirname(path))
  const deserialize = (text: string) => {
    const read = readSavedState(text)
    if ('state' in read) return read.state
    // The parser's own error would quote a part of the file, which may be part of a key.
    const hint = pathCommand('mv -i', path, `${path}.old`)
    throw new Failure('local', `the config file ${path} ${read.problem}`, { hint })
  }
  const conf = new Conf<SavedState>({
    cwd: dirname(path),
    configName: 'config',
    configFileMode: 0o600,
    deserialize
  })
  if (isNew) chmodSync(dirname(path), 0o700)
  return conf
}

/** The API key of the local service, created at its first use. */
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
