/** `npm run generate`: writes the committed files that are generated from the command tree. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './dist.js'
import { generatedFiles } from './generated-files.js'

const run = promisify(execFile)

/** @param {readonly string[]} argv */
async function print(...argv) {
  return (await run(process.execPath, [join(root, 'bin/petstore.js'), ...argv])).stdout
}

for (const [path, make] of Object.entries(generatedFiles))
  writeFileSync(join(root, path), await make(print))
