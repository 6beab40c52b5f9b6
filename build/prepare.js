/**
 * Builds `dist` if it is not of these sources, and compiles it if it has no compiled code for this
 * V8. Otherwise it does nothing, because npm runs it for each `npx petstore` inside a clone.
 * stdout belongs to the command that npm runs next.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import launcher from '../bin/petstore.js'
import { compile } from './compile.js'
import { hashSources, isFresh, readFiles, root, writeFiles } from './dist.js'

const start = new Date()
// Before anything is read: if a source changes during the build, the next run builds again.
const sources = hashSources()
const dist = join(root, 'dist')
const compiled = launcher.compiledDirectory(dist)
const isBuilt = !process.argv.includes('--always') && isFresh(dist, sources)

if (!isBuilt || !isFresh(compiled, sources)) {
  const files = isBuilt ? readFiles(dist) : await bundled()
  // Files are replaced only after everything has succeeded.
  const compiledFiles = compile(files)
  writeFiles(compiledFiles, compiled, start, sources)
  if (!isBuilt) {
    removeOthers(compiled)
    writeFiles(files, dist, start, sources)
  }
}

/**
 * Removes what earlier builds compiled for other Nodes. The directory itself stays, because another
 * build may be writing into it.
 *
 * @param {string} directory
 */
function removeOthers(directory) {
  for (const name of readdirSync(dirname(directory))) {
    if (name !== basename(directory))
      rmSync(join(dirname(directory), name), { recursive: true, force: true })
  }
}

/** Imported late, because compiling a finished build must work without development tools. */
async function bundled() {
  const { bundle } = await import('./bundle.js')
  return bundle()
}
