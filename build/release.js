/**
 * `npm run release -- NODE…`: packs the program with code compiled by each of these Nodes, only for the chunks that every
 * command loads, and checks the size that it has with the code of all platforms. Without a Node, it packs the compiled
 * code that is there.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
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

const wanted = readdirSync(dist)
  .filter((name) => /^(main|program|rolldown-runtime)[-.].*cjs$/.test(name))
  .map((name) => launcher.compiledPath('', readFileSync(join(dist, name), 'latin1')).replace(/.*\//, ''))
for (const name of readdirSync(versions, { recursive: true, encoding: 'utf8' })) {
  const path = join(versions, name)
  if (statSync(path).isFile() && !wanted.some((file) => path.endsWith(file))) rmSync(path)
}

const directory = join(dist, 'release')
const bare = pack(directory, { withCompiledCode: false })
const packed = pack(directory)
const present = new Set(readdirSync(versions).map((name) => name.replace(/.*-(\w+-\w+)$/, '$1'))).size
console.log(join(directory, packed.filename))
for (const kind of /** @type {const} */ (['size', 'unpackedSize'])) {
  const size = bare[kind] + ((packed[kind] - bare[kind]) * platforms) / present
  console.log(`${kind}: ${packed[kind]} bytes, ${size} with the code of all platforms, at most ${limits[kind]}`)
  if (size > limits[kind]) throw new Error('the package is too large')
}
