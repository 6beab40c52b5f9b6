/**
 * `npm run release`: packs the program for the Node that runs this. `npm run release -- NODE…`
 * packs it for each of these Nodes. Fails if it would be too large with the compiled code of all
 * platforms.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './dist.js'
import { keepChanges, pack } from './pack.js'

const platforms = 3
// What another platform adds for one V8: its code differs in up to 7,000 bytes.
const bytesOfChanges = 20_000
const limits = { size: 2_500_000, unpackedSize: 7_000_000 }

const versions = join(root, 'dist', 'compiled')
const nodes = process.argv.slice(2)
if (nodes.length > 0) rmSync(versions, { recursive: true, force: true })
for (const node of nodes)
  execFileSync(node, [join(root, 'build', 'prepare.js')], { stdio: 'inherit' })

const destination = join(root, 'dist', 'release')
rmSync(destination, { recursive: true, force: true })
const packed = pack(destination, (directory) => keepChanges(join(directory, 'dist', 'compiled')))
console.log(relative(root, join(destination, packed.filename)))
const present = readdirSync(versions)
const missing =
  platforms * new Set(present.map((name) => name.replace(/-\w+-\w+$/, ''))).size - present.length
for (const kind of /** @type {const} */ (['size', 'unpackedSize'])) {
  const size = packed[kind] + missing * bytesOfChanges
  console.log(
    `${kind}: ${packed[kind]} bytes, ${size} with the code of all platforms, at most ${limits[kind]}`,
  )
  if (size > limits[kind]) throw new Error('the package is too large')
}
