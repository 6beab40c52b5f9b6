/**
 * `npm run release`: packs the program with its compiled code.
 *
 *     npm run release                     for the Nodes that compiled it, also the one that runs it
 *     npm run release -- NODE…            for each of these Nodes
 *     node build/release.js --sets 12     for as many Nodes and platforms, whose code is there
 *     node build/release.js --tried DIR   for those that DIR has a file of
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './bundle.js'
import { keepChanges, pack, unpack } from './pack.js'
import { checkCompiled, checkRepository, checkSizes, largest } from './release-checks.js'

const platforms = 3
// What another platform adds for one V8: up to 5,000 changes of four bytes.
const bytesOfChanges = 20_000

const { positionals: nodes, values } = parseArgs({
  allowPositionals: true,
  options: { sets: { type: 'string' }, tried: { type: 'string' } }
})
const compiled = join(root, 'dist', 'compiled')
const repository = process.env.GITHUB_REPOSITORY

if (nodes.length > 0) compileWith(nodes)
const sets = values.tried === undefined ? readdirSync(compiled) : readdirSync(values.tried)
const count = Number(values.sets ?? (nodes.length || sets.length))
const missing = platforms * versionsOf(sets).size - sets.length

console.log(`packing the program with the compiled code for ${sets.join(', ')}`)
const destination = join(root, 'dist', 'release')
rmSync(destination, { recursive: true, force: true })
const packed = pack(destination, { change: keepSets, ...(repository && { repository }) })
const tarball = join(destination, packed.filename)

console.log('checking it')
checkSizes(packed, missing * bytesOfChanges)
checkContent()
console.log(
  `${relative(root, tarball)}: ${packed.size} bytes, at most ${largest.size} with all platforms`
)

/** @param {readonly string[]} paths */
function compileWith(paths) {
  rmSync(compiled, { recursive: true, force: true })
  for (const node of paths) {
    console.log(`compiling with ${node}`)
    execFileSync(node, [join(root, 'build', 'prepare.js')], { stdio: 'inherit' })
  }
}

/** @param {readonly string[]} names */
function versionsOf(names) {
  return new Set(names.map(name => name.replace(/-\w+-\w+$/, '')))
}

/** @param {string} directory of the package */
function keepSets(directory) {
  const own = join(directory, 'dist', 'compiled')
  for (const name of readdirSync(own))
    if (!sets.includes(name)) rmSync(join(own, name), { recursive: true })
  keepChanges(own)
}

/** Reads the tarball itself, because that is what is published. */
function checkContent() {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-release-'))
  try {
    const directory = unpack(tarball, stage)
    checkCompiled(join(directory, 'dist', 'compiled'), compiled, count)
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    if (repository) checkRepository(manifest, repository)
  } finally {
    rmSync(stage, { recursive: true })
  }
}
