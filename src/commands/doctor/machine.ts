import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { findingOf } from '../../failure.ts'
import { exposuresOf } from '../../platform/file-access.ts'
import type { Host } from '../../platform/host.ts'
import { realPathOf } from '../../platform/same-file.ts'
import { anotherDirectory, databasePath, requireJournalsDirectory } from '../../settings/location.ts'
import { listedSettings, type Settings, showSetting } from '../../settings/settings.ts'
import { type Check, ok, problem, warning } from './check.ts'

/** The lowest minor version for each major version that `engines` in package.json allows. */
const leastMinors: Readonly<Record<number, number>> = { 20: 19, 22: 12 }

export function checkNode({ runtime }: Host): Check {
  const detail = `${runtime.node} on ${runtime.system}`
  const [major = 0, minor = 0] = runtime.node.split('.').map(Number)
  const leastMinor = leastMinors[major] ?? (major > 22 ? 0 : Number.POSITIVE_INFINITY)
  if (minor >= leastMinor) return ok('node', detail)
  return warning('node', `${detail}, which is not supported`, 'install Node 24, or 20.19 and later')
}

/**
 * The config file, which stops most commands if it cannot be read, and the access that other users have to the files.
 */
export async function checkConfig({ host, store }: Pick<Context, 'host' | 'store'>): Promise<Check> {
  const { path } = store
  const failure = await findingOf(store.read)
  if (failure !== undefined) return problem('config', failure)
  if (path === undefined) {
    return warning('config', 'there is no home directory, so nothing can be saved', anotherDirectory)
  }
  const exposures = exposuresOf([
    ...[dirname(path), dirname(realPathOf(path)), path],
    ...[requireJournalsDirectory(host), databasePath(host) ?? path],
  ])
  if (exposures.length > 0) {
    const problems = exposures.map((exposure) => exposure.problem)
    const remedies = exposures.flatMap(({ remedy }) => remedy ?? [])
    return warning('config', problems.join('; '), remedies.join('; ') || null)
  }
  return ok('config', existsSync(path) ? path : `${path} (not created yet)`)
}

/** Each setting with its source. A wrong one is a finding. */
export async function checkSettings(settings: Settings): Promise<Check[]> {
  const checks: Check[] = []
  for (const name of listedSettings) {
    const failure = await findingOf(async () => {
      const { value, from, origin } = await showSetting(settings, name)
      if (name === 'env') settings.environmentNamed(settings.value(name))
      checks.push(ok(name, `${value ?? 'not set'} (${from ?? origin})`))
    })
    if (failure !== undefined && checks.every(({ detail }) => detail !== failure.message)) {
      checks.push(problem(name, failure))
    }
  }
  return checks
}

/** Node ignores a file that it cannot read, with a warning at most. */
export function checkCertificates({ env }: Host, settings: Settings): Check {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warning(
      'ca',
      'NODE_TLS_REJECT_UNAUTHORIZED=0: no certificate is checked',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    )
  }
  const path = settings.value('ca-certs')
  if (path === undefined) return ok('ca', "Node's own certificates")
  try {
    accessSync(path, constants.R_OK)
    return ok('ca', `Node's own certificates and NODE_EXTRA_CA_CERTS=${path}`)
  } catch {
    return warning('ca', `NODE_EXTRA_CA_CERTS=${path} cannot be read`, 'unset NODE_EXTRA_CA_CERTS')
  }
}
