/**
 * `npm run standalone`: makes `dist/standalone/petstore`, an executable that needs no Node because
 * it contains the one that runs this script (26 or later), and the archive of it for a release.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import manifest from '../package.json' with { type: 'json' }
import { bundle, root } from './bundle.js'

const { arch, execPath, platform, versions } = process
const directory = join(root, 'dist/standalone')
const isMac = platform === 'darwin'

rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })
process.chdir(directory)
const files = await bundle(
  'bin/petstore.js',
  name => `Buffer.from(require('node:sea').getRawAsset('${name}'))`
)
inject()
archive()

function inject() {
  mkdirSync('stage')
  const assets = Object.entries(assetsOf(files))
  for (const [name, content] of assets) writeFileSync(join('stage', name), content)
  // A quarter of Node is debug symbols. Afterwards, strip would damage what was injected.
  const kind = isMac ? ['-x'] : []
  execFileSync('strip', [...kind, '-o', 'stage/node', execPath])
  const options = {
    main: join(root, 'build/standalone-main.cjs'),
    executable: 'stage/node',
    output: 'petstore',
    assets: Object.fromEntries(assets.map(([name]) => [name, join('stage', name)])),
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS is meant for programs that a user runs with Node.
    execArgvExtension: 'none'
  }
  writeFileSync('stage/sea.json', JSON.stringify(options))
  execFileSync(execPath, ['--build-sea', 'stage/sea.json'])
  // macOS on arm64 runs only signed files, and the change has made the signature invalid.
  if (isMac) execFileSync('codesign', ['--sign', '-', '--force', 'petstore'])
  rmSync('stage', { recursive: true })
}

/**
 * What `standalone-main.cjs` loads: the WebAssembly, and each chunk with its compiled code.
 *
 * @param {Awaited<ReturnType<typeof bundle>>} all
 */
function assetsOf(all) {
  /** @type {Record<string, string | Uint8Array>} */
  const assets = {}
  for (const [name, content] of all) {
    if (name.endsWith('.wasm')) assets[name] = content
    if (!name.endsWith('.cjs')) continue
    const code = String(content).replace(/^#!.*/, '')
    const source = `(function(exports,require,__filename){${code}\n})`
    assets[name] = source
    assets[`${name}.compiled`] = compile(source, name)
  }
  return assets
}

/**
 * All functions, also methods, which V8 otherwise compiles when they are called. What it compiled is
 * for the flags at the time when it is stored.
 *
 * @param {string} source
 * @param {string} filename
 */
function compile(source, filename) {
  setFlagsFromString('--no-lazy')
  const script = new Script(source, { filename })
  setFlagsFromString('--lazy')
  return script.createCachedData()
}

function archive() {
  const name = `petstore-${manifest.version}-${platform}-${arch}`
  for (const path of ['LICENSE', 'man'])
    cpSync(join(root, path), join(name, path), { recursive: true })
  cpSync('petstore', join(name, 'petstore'))
  const license = readFileSync(join(dirname(execPath), '../LICENSE'), 'utf8')
  const notices = files.get('third-party-notices.txt')
  const ofNode = `Node ${versions.node}, in the executable\n\n${license}`
  writeFileSync(join(name, 'third-party-notices.txt'), `${notices}\n${ofNode}`)
  execFileSync('tar', ['-czf', `${name}.tar.gz`, name])
  rmSync(name, { recursive: true })
  console.log(`${directory}/petstore, and ${name}.tar.gz`)
}
