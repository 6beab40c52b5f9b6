import { readFileSync } from 'node:fs'

/** A plugin that loads pages, prose and shell scripts as text, for the bundler and for vitest. */
export function textFiles() {
  return {
    name: 'text-files',
    // Before that of Vite, which takes a text for an asset.
    enforce: /** @type {const} */ ('pre'),
    /** @param {string} id */
    load(id) {
      if (!/\.(?:html|md|txt)$|[\\/]completions[\\/][^\\/]+$/.test(id)) return undefined
      return {
        code: `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`,
        moduleType: /** @type {const} */ ('js')
      }
    }
  }
}
