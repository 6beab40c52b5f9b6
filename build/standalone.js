/**
 * `npm run standalone`: makes `dist/standalone/petstore`, an executable that needs no Node because
 * it contains the one that runs this script (26 or later), and the archive of it for a release.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleAsOne, root } from './bundle.js'

const { arch, execPath, platform, versions } = process
const directory = join(root, 'dist', 'standalone')
const executable = join(directory, 'petstore')
const isMac = platform === 'darwin'

rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })
const files = await bundleAsOne(name => `Buffer.from(require('node:sea').getRawAsset('${name}'))`)
inject()
archive()

function inject() {
  const stage = join(directory, 'stage')
  mkdirSync(stage)
  for (const [name, content] of files) writeFileSync(join(stage, name), content)
  // A quarter of Node is debug symbols. Afterwards, strip would damage what was injected.
  const kind = isMac ? ['-x'] : []
  const node = join(stage, 'node')
  execFileSync('strip', [...kind, '-o', node, execPath])
  /** @type {Record<string, string>} */
  const assets = {}
  for (const name of files.keys()) {
    if (name.endsWith('.wasm')) assets[name] = name
  }
  const options = {
    main: 'main.cjs',
    executable: 'node',
    output: executable,
    assets,
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS is meant for programs that a user runs with Node.
    execArgvExtension: 'none'
  }
  writeFileSync(join(stage, 'sea.json'), JSON.stringify(options))
  execFileSync(execPath, ['--build-sea', 'sea.json'], { cwd: stage })
  // macOS on arm64 runs only signed files, and the change has made the signature invalid.
  if (isMac) execFileSync('codesign', ['--sign', '-', '--force', executable])
  rmSync(stage, { recursive: true })
}

function archive() {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest)
  const name = `petstore-${version}-${platform}-${arch}`
  const content = join(directory, name)
  for (const path of ['LICENSE', 'man']) {
    const source = join(root, path)
    cpSync(source, join(content, path), { recursive: true })
  }
  cpSync(executable, join(content, 'petstore'))
  const home = dirname(dirname(execPath))
  const license = readFileSync(join(home, 'LICENSE'), 'utf8')
  const notices = files.get('third-party-notices.txt')
  const ofNode = `Node ${versions.node}, in the executable\n\n${license}`
  writeFileSync(join(content, 'third-party-notices.txt'), `${notices}\n${ofNode}`)
  execFileSync('tar', ['-czf', `${content}.tar.gz`, '-C', directory, name])
  rmSync(content, { recursive: true })
  console.log(`${executable}, and ${name}.tar.gz`)
}
