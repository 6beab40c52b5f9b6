import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { type Failure, findingOf } from '../../failure.ts'
import type { ChecklistRow } from '../../output/table.ts'
import { exposuresOf } from '../../platform/file-access.ts'
import type { Host } from '../../platform/host.ts'
import { realPathOf } from '../../platform/same-file.ts'
import { anotherDirectory } from '../../platform/system-error.ts'
import { databasePath, journalsDirectory } from '../../settings/location.ts'
import { type Settings, showSetting } from '../../settings/settings.ts'

/** One finding, and the failure that a command would end with because of it. */
export type Check = ChecklistRow & { readonly failure?: Failure }

const finding = (check: string, state: Check['state'], detail: string, advice: string | null = null): Check => ({
  check,
  state,
  detail,
  advice,
  milliseconds: null,
})

export const ok = (check: string, detail: string): Check => finding(check, 'ok', detail)

export const skipped = (check: string, detail: string): Check => finding(check, 'skipped', detail)

export const warning = (check: string, detail: string, advice: string | null): Check =>
  finding(check, 'warning', detail, advice)

/** `where` comes before the message. */
export const problem = (check: string, failure: Failure, where = ''): Check => ({
  ...finding(check, 'problem', where + failure.message, failure.hint),
  failure,
})

/** The lowest minor version for each major version that `engines` in package.json allows. */
const leastMinors: Readonly<Record<number, number>> = { 20: 19, 22: 13 }

export function checkNode({ runtime }: Host): Check {
  const detail = `${runtime.node} on ${runtime.system}`
  const [major = 0, minor = 0] = runtime.node.split('.').map(Number)
  const leastMinor = leastMinors[major] ?? (major > 22 ? 0 : Number.POSITIVE_INFINITY)
  if (minor >= leastMinor) return ok('Node', detail)
  return warning('Node', `${detail}, which is not supported`, 'install Node 24, or 20.19 and later')
}

/**
 * The config file, which stops most commands if it cannot be read, and the access that other users have to the files.
 */
export async function checkConfig({ host, store }: Pick<Context, 'host' | 'store'>): Promise<Check> {
  const { path } = store
  const failure = await findingOf(store.read)
  if (failure !== undefined) return problem('config file', failure)
  if (path === undefined) {
    return warning('config file', 'there is no home directory, so nothing can be saved', anotherDirectory)
  }
  const exposures = exposuresOf([
    ...[dirname(path), dirname(realPathOf(path)), path],
    ...[journalsDirectory(host) ?? path, databasePath(host) ?? path],
  ])
  if (exposures.length > 0) {
    const problems = exposures.map((exposure) => exposure.problem)
    const remedies = exposures.flatMap(({ remedy }) => remedy ?? [])
    return warning('config file', problems.join('; '), remedies.join('; ') || null)
  }
  return ok('config file', existsSync(path) ? path : `${path} (not created yet)`)
}

/** The proxies that variables name, and whether requests to the base URL use one. */
export async function checkProxy(settings: Settings, { env }: Host): Promise<Check | undefined> {
  const names = (['https-proxy', 'http-proxy', 'all-proxy', 'no-proxy'] as const).filter((name) =>
    settings.resolve(name),
  )
  if (names.length === 0) return undefined
  const shown = names.map(async (name) => {
    const { value, from } = await showSetting(settings, name)
    return `${from}=${value}`
  })
  const { proxyFor } = await import('../../settings/proxies.ts')
  let isUsed = false
  const failure = await findingOf(async () => {
    isUsed = proxyFor(settings.url('pets'), env) !== undefined
  })
  if (failure !== undefined) return problem('proxy', failure)
  return ok('proxy', `${(await Promise.all(shown)).join(', ')}; ${isUsed ? 'used' : 'not used'} for the base URL`)
}

/** Node ignores a file that it cannot read, with a warning at most. */
export function checkCertificates(settings: Settings, { env }: Host): Check | undefined {
  const { NODE_TLS_REJECT_UNAUTHORIZED: verification, NODE_USE_SYSTEM_CA: systemStore } = env
  if (verification === '0') {
    const advice = 'unset NODE_TLS_REJECT_UNAUTHORIZED'
    return warning('certificates', 'NODE_TLS_REJECT_UNAUTHORIZED=0: no certificate is checked', advice)
  }
  const path = settings.value('ca-certs')
  const parts = [
    path === undefined ? [] : `NODE_EXTRA_CA_CERTS=${path}`,
    systemStore ? `NODE_USE_SYSTEM_CA=${systemStore}` : [],
  ].flat()
  if (parts.length === 0) return undefined
  try {
    if (path !== undefined) accessSync(path, constants.R_OK)
    return ok('certificates', `Node's own and ${parts.join(', ')}`)
  } catch {
    return warning('certificates', `NODE_EXTRA_CA_CERTS=${path} cannot be read`, 'unset NODE_EXTRA_CA_CERTS')
  }
}
