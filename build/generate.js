/** `npm run generate`: writes the committed files that are generated from the command tree. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './bundle.js'
import { generatedFiles } from './generated-files.js'

const run = promisify(execFile)
/** Nothing here depends on the settings of the person who runs this, or changes them. */
const settings = mkdtempSync(join(tmpdir(), 'petstore-generate-'))
const env = { PATH: process.env.PATH, PETSTORE_CONFIG_DIR: settings }

/** @param {readonly string[]} argv */
async function print(...argv) {
  return (await run(process.execPath, [join(root, 'bin/petstore.js'), ...argv], { env })).stdout
}

for (const [path, make] of Object.entries(generatedFiles))
  writeFileSync(join(root, path), await make(print))
rmSync(settings, { recursive: true })
