import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './dist.js'
import { onStage, runOnStage } from './stage.js'

/**
 * Compiles the chunks that short commands load.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files the bundle
 * @param {string} [node]
 * @returns {ReadonlyMap<string, Uint8Array>} the compiled code by file name, for the V8 of this Node
 */
export function compile(files, node) {
  return onStage(files, (stage) => {
    runOnStage(stage, [join(root, 'build', 'warm-up.js'), stage], node)
    const versions = join(stage, 'dist', 'compiled')
    const [version = ''] = readdirSync(versions)
    const compiled = join(versions, version)
    return new Map(readdirSync(compiled).map((name) => [name, readFileSync(join(compiled, name))]))
  })
}
