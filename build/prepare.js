/**
 * Builds `dist` if it is not what the sources say, compiles it if that was not done for this V8, and otherwise does
 * nothing: npm runs this at each `npx petstore` inside a clone. stdout belongs to the command that npm runs next.
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
  // Nothing is put in place before everything has succeeded.
  const compiledFiles = compile(files)
  writeFiles(sources, compiledFiles, compiled)
  removeOutdated(sources, compiled)
  if (!isBuilt) writeFiles(sources, files, dist)
}

/** Imported late: compiling a finished build needs no development tools. */
async function bundled() {
  const { bundle } = await import('./bundle.js')
  return bundle()
}
