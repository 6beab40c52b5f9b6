import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { Host } from '../../platform/host.ts'
import { commandLine } from '../../platform/shell.ts'
import type { Settings } from '../../settings/settings.ts'
import { listedSettings, showSetting } from '../../settings/shown-settings.ts'
import { type Check, ok, problem, warning } from './check.ts'

/** The least minor version of each major one that `engines` in package.json allows. */
const leastMinors: Readonly<Record<number, number>> = { 20: 19, 22: 12 }

export function checkNode({ runtime }: Host): Check {
  const detail = `${runtime.node} on ${runtime.system}`
  const [major = 0, minor = 0] = runtime.node.split('.').map(Number)
  const leastMinor = leastMinors[major] ?? (major > 22 ? 0 : Number.POSITIVE_INFINITY)
  if (minor >= leastMinor) return ok('node', detail)
  return warning('node', `${detail}, which is not supported`, 'install Node 24, or 20.19 and later')
}

/** The config file and its mode. A file that cannot be read stops most commands. */
export async function checkConfig({ store }: Context): Promise<Check> {
  const { path } = store
  try {
    await store.read()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return problem('config', error)
  }
  if (path === undefined) {
    return warning(
      'config',
      'there is no home directory, so nothing can be saved',
      'export PETSTORE_CONFIG_DIR="$PWD/.petstore"',
    )
  }
  const file = modeOf(path)
  if (file === undefined) return ok('config', `${path} (not created yet)`)
  const directory = modeOf(dirname(path)) ?? 0
  const modes = `file ${octal(file)}, directory ${octal(directory)}`
  if ((file & 0o077) === 0 && (directory & 0o077) === 0) return ok('config', `${path} (${modes})`)
  const narrow = `${commandLine('chmod 700', { paths: [dirname(path)] })}; ${commandLine('chmod 600', { paths: [path] })}`
  return warning('config', `${path} (${modes}) can be read by other users`, narrow)
}

/** Each setting with its source. A wrong one is a finding. */
export async function checkSettings(settings: Settings): Promise<Check[]> {
  const checks: Check[] = []
  for (const name of listedSettings) {
    try {
      const { value, from, origin } = await showSetting(settings, name)
      checks.push(ok(name, `${value ?? 'not set'} (${from ?? origin})`))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      checks.push(problem(name, error))
    }
  }
  return checks
}

/** Node ignores a file that it cannot read, with a warning at most. */
export function checkCertificates({ env }: Host): Check {
  const { NODE_EXTRA_CA_CERTS: path, NODE_TLS_REJECT_UNAUTHORIZED: reject } = env
  if (reject === '0') {
    return warning(
      'ca',
      'NODE_TLS_REJECT_UNAUTHORIZED=0: no certificate is checked',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    )
  }
  if (!path) return ok('ca', 'the certificates of Node')
  try {
    accessSync(path, constants.R_OK)
    return ok('ca', `the certificates of Node and NODE_EXTRA_CA_CERTS=${path}`)
  } catch {
    return warning('ca', `NODE_EXTRA_CA_CERTS=${path} cannot be read`, 'unset NODE_EXTRA_CA_CERTS')
  }
}

function modeOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && stats.mode & 0o777
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0')
