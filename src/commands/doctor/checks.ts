import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { asFinding, type Failure } from '../../failure.ts'
import { fingerprint } from '../../model/endpoint.ts'
import type { Context } from '../../session/context.ts'
import { databasePath, requireConfigPath } from '../../settings/location.ts'
import type { Resolved } from '../../settings/setting-row.ts'
import type { Settings } from '../../settings/settings.ts'
import { exposureOf } from '../../system/private-file.ts'
import { withoutLogin } from '../../text/typed-secrets.ts'
import { askWithoutKey, tryService } from '../addresses.ts'

export type Check = {
  readonly check: string
  readonly state: 'ok' | 'problem'
  readonly detail: string
  readonly hint: string | null
}

/**
 * At most six checks, in the order of what a request needs. A problem ends them, but for a missing
 * key: the address is asked without one. The first is the failure that the command ends with.
 */
export async function examine(context: Context) {
  const { redact } = context.report
  const settings = context.settings
  const isLocal = settings.value('env') === 'local'
  let failure: Failure | undefined
  // What does not apply has no text.
  const steps: [check: string, examineIt: () => Promise<string>][] = [
    ['program', () => describeProgram(context)],
    ['config file', () => describeConfig(context)],
    ['environment', () => describeEnvironment(settings)],
    ['network', async () => describeNetwork(context.host)],
    ['request', async () => (isLocal ? '' : describeRequest(context, failure))],
    ['local database', () => describeDatabase(context, isLocal)]
  ]
  const checks: Check[] = []
  for (const [check, examineIt] of steps) {
    try {
      const detail = await examineIt()
      if (detail) checks.push({ check, state: 'ok', detail: redact(detail), hint: null })
    } catch (error) {
      const found = asFinding(error)
      const { code, status, stage, message, hint } = found
      const detail = redact(stage === undefined ? message : `${stage}: ${message}`)
      checks.push({ check, state: 'problem', detail, hint: hint ? redact(hint) : null })
      failure ??= found
      const isKeyMissing = code === 'auth' && status === undefined
      if (!isKeyMissing) break
    }
  }
  return { checks, failure }
}

/** The config file and the local service need SQLite. */
async function describeProgram({ version, host }: Context) {
  const { Sqlite } = await import('../../system/sqlite.ts')
  new Sqlite(':memory:').close()
  return `petstore ${version}, Node ${host.runtime.node}, ${host.runtime.system}`
}

/** The config file, which was read before. */
async function describeConfig({ host }: Context) {
  const path = requireConfigPath(host)
  const exposure = exposureOf(path) ?? exposureOf(dirname(path))
  if (exposure !== undefined) throw exposure
  return existsSync(path) ? path : `${path} (not created yet)`
}

/** `staging (PETSTORE_ENV), base URL https://pets.example/v1 (saved), …` */
async function describeEnvironment(settings: Settings) {
  const { name, baseUrl, messagesUrl, apiKey } = settings.environmentNamed()
  const environment = withOrigin(settings.resolve('env'))
  if (name === 'local') return `${environment}, which uses no URL and no key`
  if (messagesUrl !== undefined) settings.endpoint('messages')
  const { key = '' } = settings.endpoint('pets')
  const mark = await fingerprint(key)
  const parts = [
    environment,
    `base URL ${withOrigin(baseUrl)}`,
    messagesUrl ? `messages URL ${withOrigin(messagesUrl)}` : 'no messages URL',
    `API key with ${withOrigin(apiKey, `fingerprint ${mark}`)}`
  ]
  return parts.join(', ')
}

/** Proxies and certificates, if any are set. The user name at a proxy may be a token. */
function describeNetwork({ env }: Context['host']) {
  // As in curl, the variable in lower case wins.
  const proxies = ['https_proxy', 'http_proxy', 'no_proxy'].map(name =>
    env[name] ? name : name.toUpperCase()
  )
  const set = [...proxies, 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA'].filter(name => env[name])
  return set.map(name => `${withoutLogin(env[name] ?? '')} (${name})`).join(', ')
}

/** `staging (PETSTORE_ENV)` */
function withOrigin(resolved: Resolved<unknown> | undefined, shown = resolved?.value) {
  return `${shown} (${resolved?.origin.name})`
}

async function describeRequest(context: Context, keyFailure: Failure | undefined) {
  const { settings } = context
  const target = { url: settings.url('pets'), environment: settings.value('env') }
  const doubt = keyFailure && (await askWithoutKey(context, target))
  if (keyFailure === undefined) await tryService(context, settings.endpoint('pets'))
  return doubt ?? 'the service replies'
}

/** The data of the service inside this program. Unless it is in use, its database is not created. */
async function describeDatabase(context: Context, isUsed: boolean) {
  const path = databasePath(context.host)
  if (!isUsed && !existsSync(path)) return ''
  await tryService(context, context.settings.endpoint('pets', 'local'))
  return path
}
