/**
 * Builds `dist` if it is not of these sources. Otherwise it does nothing, because npm runs it for
 * each `npx petstore` inside a clone. stdout belongs to the command that npm runs next.
 */
import { join } from 'node:path'
import { hashSources, isFresh, root, writeFiles } from './dist.js'

const start = new Date()
// Before anything is read: if a source changes during the build, the next run builds again.
const sources = hashSources()
const dist = join(root, 'dist')

if (process.argv.includes('--always') || !isFresh(dist, sources)) {
  const { bundle } = await import('./bundle.js')
  writeFiles(await bundle(), dist, start, sources)
}
