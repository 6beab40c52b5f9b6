/** `npm run generate`: writes the committed files that are generated from the command tree. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './dist.js'
import { generatedFiles } from './generated-files.js'

for (const [path, argv] of Object.entries(generatedFiles)) {
  const text = execFileSync(process.execPath, [join(root, 'bin/petstore.js'), ...argv], { encoding: 'utf8' })
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
