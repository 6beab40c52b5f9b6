/**
 * `npm run release`: packs the program for the Node that runs this. `npm run release -- NODE…` packs it for each of these
 * Nodes, with compiled code only for the chunks that every command loads, and checks the size that it has with the code of
 * all platforms.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import launcher from '../bin/petstore.js'
import { root } from './dist.js'
import { pack } from './pack.js'

const platforms = 3
const limits = { size: 2_500_000, unpackedSize: 7_000_000 }

const dist = join(root, 'dist')
const versions = join(dist, 'compiled')
const nodes = process.argv.slice(2)
if (nodes.length > 0) rmSync(versions, { recursive: true, force: true })
for (const node of nodes) execFileSync(node, [join(root, 'build', 'prepare.js')], { stdio: 'inherit' })

const isForOne = readdirSync(versions).length === 1
const wanted = readdirSync(dist)
  .filter((name) => name.endsWith('.cjs') && (isForOne || /^(main|program|rolldown-runtime)[-.]/.test(name)))
  .map((name) => basename(launcher.compiledPath('', readFileSync(join(dist, name), 'latin1'))))

const destination = join(dist, 'release')
rmSync(destination, { recursive: true, force: true })
const without = pack(destination, (directory) => removeCompiled(directory, () => true))
const packed = pack(destination, (directory) => removeCompiled(directory, (name) => !wanted.includes(name)))
const present = new Set(readdirSync(versions).map((name) => name.replace(/.*-(\w+-\w+)$/, '$1'))).size
console.log(relative(root, join(destination, packed.filename)))
for (const kind of /** @type {const} */ (['size', 'unpackedSize'])) {
  const size = without[kind] + ((packed[kind] - without[kind]) * platforms) / present
  console.log(`${kind}: ${packed[kind]} bytes, ${size} with the code of all platforms, at most ${limits[kind]}`)
  if (size > limits[kind]) throw new Error('the package is too large')
}

/**
 * @param {string} directory
 * @param {(name: string) => boolean} isUnwanted
 */
function removeCompiled(directory, isUnwanted) {
  const names = readdirSync(join(directory, 'dist', 'compiled'), { recursive: true, encoding: 'utf8' })
  for (const name of names) {
    if (name.endsWith('.v8') && isUnwanted(basename(name))) rmSync(join(directory, 'dist', 'compiled', name))
  }
}
