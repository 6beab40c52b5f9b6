/**
 * `npm run prepare`: builds `dist`, unless it is of these sources: npm runs it for each `npx
 * petstore` inside a clone. stdout belongs to the command that npm runs next.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, root } from './bundle.js'

process.chdir(root)
/** Written last, so that an interrupted build does not count. */
const stamp = 'dist/stamp'

// Before anything is read: if a source changes during the build, the next run builds again.
const sources = hashSources()
const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === sources
if (!isFresh || process.argv.includes('--always')) {
  const files = await bundle()
  rmSync('dist', { recursive: true, force: true })
  mkdirSync('dist')
  for (const [name, content] of files) writeFileSync(join('dist', name), content)
  writeFileSync(stamp, sources)
}

/** Of their content: the time of a file is that of a checkout, or in the future in an archive. */
function hashSources() {
  const inFolders = ['src', 'build', 'bin', 'completions', 'skills'].flatMap(folder =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  )
  const hash = createHash('sha256')
  for (const path of [...inFolders.sort(), 'package.json', 'package-lock.json'])
    hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest('hex')
}
