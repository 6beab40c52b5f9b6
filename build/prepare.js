/**
 * Builds `dist` if it does not match the sources, and compiles it if it has no compiled code for this V8. Otherwise it
 * does nothing, because npm runs it for each `npx petstore` inside a clone. stdout belongs to the command that npm runs
 * next.
 */
import { join } from 'node:path'
import launcher from '../bin/petstore.js'
import { compile } from './compile.js'
import { isFresh, readFiles, removeOutdated, root, sourcesHash, writeFiles } from './dist.js'

const sources = sourcesHash()
const dist = join(root, 'dist')
const compiled = launcher.compiledDirectory(dist)
const isBuilt = !process.argv.includes('--always') && isFresh(sources, dist)

if (!isBuilt || !isFresh(sources, compiled)) {
  const files = isBuilt ? readFiles(dist) : await bundled()
  // Files are replaced only after everything has succeeded.
  const compiledFiles = compile(files)
  writeFiles(sources, compiledFiles, compiled)
  removeOutdated(sources, compiled)
  if (!isBuilt) writeFiles(sources, files, dist)
}

/** Imported late, because compiling a finished build must work without development tools. */
async function bundled() {
  const { bundle } = await import('./bundle.js')
  return bundle()
}
