/**
 * `npm run release -- NODE…`: packs the program with code compiled by each of these Nodes, only for the chunks that every
 * command loads, and checks the size that it has with the code of all platforms.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import launcher from '../bin/petstore.js'
import { root } from './dist.js'

const platforms = 3
/** @type {readonly (readonly ['packed' | 'unpacked', number])[]} */
const limits = [
  ['packed', 2_500_000],
  ['unpacked', 7_000_000],
]

const dist = join(root, 'dist')
const versions = join(dist, 'compiled')
rmSync(versions, { recursive: true, force: true })
const before = pack()
for (const node of process.argv.slice(2)) execFileSync(node, [join(root, 'build', 'prepare.js')], { stdio: 'inherit' })

const wanted = readdirSync(dist)
  .filter((name) => /^(main|program|rolldown-runtime)[-.].*cjs$/.test(name))
  .map((name) => launcher.compiledPath('', readFileSync(join(dist, name), 'latin1')).replace(/.*\//, ''))
for (const name of readdirSync(versions, { recursive: true, encoding: 'utf8' })) {
  const path = join(versions, name)
  if (statSync(path).isFile() && !wanted.some((file) => path.endsWith(file))) rmSync(path)
}

const packed = pack()
for (const [kind, limit] of limits) {
  const size = packed[kind] + (packed[kind] - before[kind]) * (platforms - 1)
  console.log(`${kind}: ${size} bytes with the code of all platforms, at most ${limit}`)
  if (size > limit) throw new Error('the package is too large')
}

function pack() {
  const argv = ['pack', '--json', '--ignore-scripts']
  const [{ size, unpackedSize }] = JSON.parse(
    execFileSync('npm', argv, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  return { packed: size, unpacked: unpackedSize }
}
