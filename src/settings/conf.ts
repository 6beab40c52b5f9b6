import { dirname } from 'node:path'
import Conf from 'conf'
import { takeLock } from '../system/lock.ts'
import { makePrivateDirectories, replacePrivateFile } from '../system/private-file.ts'
import { realPathOf } from '../system/same-file.ts'
import { stringifyJson } from '../text/json.ts'
import { readConfigText, type SavedState } from './config-text.ts'

/** `_write` is not in conf's types, and what they make private no subclass can replace. */
const Replaceable: new (
  options: ConstructorParameters<typeof Conf<SavedState>>[0]
) => Pick<Conf<SavedState>, 'path' | 'store'> = Conf

/**
 * conf with a write of its own. The one of conf takes a part for the whole where the disk is full,
 * so that all keys are lost, and a kill leaves copies of them behind.
 */
class ConfigFile extends Replaceable {
  _write(state: SavedState): void {
    replacePrivateFile(this.path, `${stringifyJson(state, { indent: 2 })}\n`)
  }
}

/** The state before and after an edit. If the edit returns the state itself, nothing is written. */
export async function changeConfig(
  path: string,
  edit: (state: SavedState) => SavedState,
  signal: AbortSignal
) {
  makePrivateDirectories(dirname(path))
  const what = 'the config file'
  // Two paths may lead to one file.
  const file = realPathOf(path)
  const release = await takeLock({ file, what, milliseconds: 30_000, signal })
  try {
    const conf = new ConfigFile({
      cwd: dirname(path),
      configName: 'config',
      // Not JSON.parse, which rounds what a later version may have saved.
      deserialize: text => readConfigText(path, text)
    })
    const before = conf.store
    const after = edit(before)
    if (after !== before) conf.store = after
    return { before, after }
  } finally {
    release()
  }
}
