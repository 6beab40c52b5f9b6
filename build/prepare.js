/**
 * `npm run prepare`: builds `dist`, unless it is of these sources: npm runs it for each `npx
 * petstore` inside a clone. stdout belongs to the command that npm runs next.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, root } from './bundle.js'

const dist = join(root, 'dist')
/** Written last, so that an interrupted build does not count. */
const stamp = join(dist, 'stamp')

// Before anything is read: if a source changes during the build, the next run builds again.
const sources = hashSources()
if (process.argv.includes('--always') || !isFresh()) {
  writeFiles(await bundle())
  writeFileSync(stamp, sources)
}

function isFresh() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sources
}

/** Of their content: the time of a file is that of a checkout, or in the future in an archive. */
function hashSources() {
  const inFolders = ['src', 'build', 'bin', 'completions', 'skills'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  )
  const others = ['package.json', 'package-lock.json'].map(name => join(root, name))
  const hash = createHash('sha256')
  for (const path of [...inFolders.sort(), ...others])
    hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest('hex')
}

/** @param {import('./bundle.js').Files} files */
function writeFiles(files) {
  mkdirSync(dist, { recursive: true })
  rmSync(stamp, { force: true })
  for (const [name, content] of files) writeFileSync(join(dist, name), content)
  for (const entry of readdirSync(dist, { withFileTypes: true }))
    if (entry.isFile() && !files.has(entry.name)) rmSync(join(dist, entry.name))
}
