import { dirname } from 'node:path'
import Conf from 'conf'
import { replacePrivateFile } from '../system/private-file.ts'
import { stringifyJson } from '../text/json.ts'
import { readConfigText } from './config-text.ts'
import type { SavedState } from './saved-state.ts'

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

/** Its `store` reads and replaces the file. The caller holds the lock. */
export function openConf(path: string): Pick<ConfigFile, 'store'> {
  return new ConfigFile({
    cwd: dirname(path),
    configName: 'config',
    // Not JSON.parse, which rounds what a later version may have saved.
    deserialize: text => readConfigText(path, text)
  })
}
