import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { asFinding, Failure, findingOf } from '../../failure.ts'
import { fingerprint, type RequestEndpoint } from '../../model/endpoint.ts'
import { placeFailure, unlessSystemFails } from '../../platform/errno.ts'
import { exposureOf } from '../../platform/file-access.ts'
import type { Host } from '../../platform/host.ts'
import { pathCommand, unsetVariable } from '../../platform/shell.ts'
import { shownUrl } from '../../settings/address.ts'
import { databasePath, noHome } from '../../settings/location.ts'
import { type Settings, showSetting } from '../../settings/settings.ts'
import { type SettingName, variableOf } from '../../settings/table.ts'
import { concealed } from '../../settings/typed-secrets.ts'

/** One finding, and the failure that a command would end with because of it. */
export interface Check {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly detail: string
  readonly advice: string | null
  readonly failure?: Failure
}

/** Five to ten checks of everything that a request depends on. */
export async function examine(context: Context): Promise<Check[]> {
  const { host, version } = context
  const settings = await context.settings()
  const node = await checkNode(host)
  const config = await checkConfig(context)
  const machine = [finding('petstore', 'ok', version), node, config]
  const environment = await check('environment', () => describeEnvironment(settings))
  const isUsable = environment.state === 'ok'
  // A missing URL may be in the config file that cannot be read: that is one problem and not two.
  const shown =
    isUsable || config.failure === undefined
      ? environment
      : finding('environment', 'skipped', 'unknown without the config file')
  const isLocal = settings.value('env') === 'local'
  const service = isUsable && !isLocal ? await checkService(context, settings) : []
  const local =
    node.failure === undefined
      ? await checkLocal(context, isUsable && isLocal)
      : finding('local service', 'skipped', 'unknown without SQLite')
  return [...machine, shown, ...service, local]
}

/** The local service needs SQLite. */
function checkNode({ runtime }: Host): Promise<Check> {
  return check('Node', async () => {
    const { Sqlite } = await import('../../platform/sqlite.ts')
    new Sqlite(':memory:').close()
    return `${runtime.node} on ${runtime.system}`
  })
}

/**
 * The config file, which stops most commands if it cannot be read, and which other users could
 * read.
 */
export function checkConfig({ store }: Pick<Context, 'store'>): Promise<Check> {
  return check('config file', async () => {
    await store.read()
    const { path } = store
    if (path === undefined) return noHome()
    const directory = dirname(path)
    const shown = existsSync(path) ? path : `${path} (not created yet)`
    return exposureOf(path) ?? exposureOf(directory) ?? problemOf(placeFor(directory)) ?? shown
  })
}

const neededBytes = 1024 ** 2

/** Why nothing can be saved in a directory. Throws if it is full. */
function problemOf(place: string): Failure | undefined {
  const space = unlessSystemFails(() => statfsSync(place))
  if (space !== undefined && space.bavail * space.bsize < neededBytes) {
    const hint = pathCommand('df -h', place)
    throw new Failure('local', `less than 1 MB is free in ${place}`, { hint })
  }
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return asFinding(placeFailure(error, place, `${place} cannot be written`))
  }
}

/** The first directory on the way up that exists: the others are made when they are needed. */
function placeFor(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : placeFor(parent)
}

/** `staging (PETSTORE_ENV), base URL https://pets.example/v1 (saved)` */
async function describeEnvironment(settings: Settings): Promise<string> {
  const isLocal = settings.requestEnvironment() === 'local'
  // Throws if the URL is missing or not allowed.
  if (!isLocal) settings.url('pets')
  const environment = await describe(settings, 'env')
  return isLocal ? environment : `${environment}, base URL ${await describe(settings, 'base-url')}`
}

/** `staging (PETSTORE_ENV)` */
async function describe(settings: Settings, name: SettingName): Promise<string> {
  const { value, origin, from } = await showSetting(settings, name)
  const source = origin === 'file' ? 'saved' : (from ?? origin)
  return `${value} (${source})`
}

/** The way to the service, and one request, which needs no key to find out whether it replies. */
async function checkService(context: Context, settings: Settings): Promise<Check[]> {
  const proxy = await checkProxy(context.host)
  const certificates = await checkCertificates(context.host)
  const messages = await check('messages URL', async () => {
    // Only messages need it.
    const missing = await findingOf(async () => settings.url('messages'))
    return missing ?? describe(settings, 'messages-url')
  })
  let endpoint: RequestEndpoint = {
    url: settings.url('pets'),
    urlVariable: variableOf(settings.resolve('base-url').origin),
    describeKey: 'no API key',
    environment: settings.value('env')
  }
  const keyFailure = await findingOf(async () => {
    endpoint = settings.endpoint('pets')
  })
  const failure = await findingOf(async () => {
    // A wrong value stops every other request.
    settings.value('retries')
    const client = await context.client({ endpoint, retries: 0 })
    await client.listPets({ limit: 1 })
  })

  const isRefused = failure?.code === 'auth'
  const request =
    failure === undefined || isRefused
      ? finding('request', 'ok', `the service replies with ${failure?.status ?? 200}`)
      : problem('request', failure, failure.stage && `${failure.stage}: `)
  const reason = keyFailure ?? (isRefused ? failure : undefined)
  const which = `${endpoint.describeKey} (fingerprint ${await fingerprint(endpoint.key ?? '')})`
  const tested =
    failure === undefined
      ? finding('API key', 'ok', `${which} is accepted`)
      : finding('API key', 'skipped', `${which} was not tested`)
  const key = reason === undefined ? tested : problem('API key', reason)
  return [proxy, certificates, messages, key, request].flat()
}

/** The proxies that variables name. */
async function checkProxy({ env }: Host): Promise<Check | []> {
  const { proxyVariables } = await import('../../settings/proxies.ts')
  const set = proxyVariables.filter(name => env[name])
  if (set.length === 0) return []
  return finding('proxy', 'ok', set.map(name => `${name}=${shownUrl(env[name] ?? '')}`).join(', '))
}

const certificateVariables = [
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA'
]

/** The variables of Node that decide which certificates it trusts. */
async function checkCertificates({ env }: Host): Promise<Check | []> {
  const names = certificateVariables.filter(name => env[name])
  if (names.length === 0) return []
  return check('certificates', async () => {
    const shown = names.map(name => `${name}=${env[name]}`).join(', ')
    if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
      const hint = unsetVariable('NODE_TLS_REJECT_UNAUTHORIZED')
      return new Failure('local', `${shown}: no certificate is checked`, { hint })
    }
    const file = env.NODE_EXTRA_CA_CERTS
    // Node ignores such a file, with a warning at most.
    if (file && !hasCertificate(file)) {
      const hint = unsetVariable('NODE_EXTRA_CA_CERTS')
      return new Failure('local', `${shown}: no certificate can be read`, { hint })
    }
    return shown
  })
}

function hasCertificate(path: string): boolean {
  const bytes = unlessSystemFails(() => readFileSync(path))
  return bytes?.includes('CERTIFICATE-----') ?? false
}

/** The service inside this program. Unless it is in use, its database is not created. */
async function checkLocal(context: Context, isUsed: boolean): Promise<Check> {
  const path = databasePath(context.host) ?? ''
  if (!isUsed && !existsSync(path))
    return finding(
      'local service',
      'skipped',
      'not used yet; to try it: petstore pets list --env local'
    )
  return check('local service', async () => {
    const client = await context.client({ environment: 'local' })
    await client.listPets({ limit: 1 })
    return path === '' ? 'replies' : `replies, with ${path}`
  })
}

/**
 * What the work finds: the text of a success, or a failure, as a problem if it is thrown, and as a
 * warning if it is returned.
 */
async function check(name: string, work: () => Promise<string | Failure>): Promise<Check> {
  try {
    const found = await work()
    if (typeof found === 'string') return finding(name, 'ok', found)
    return finding(name, 'warning', found.message, found.hint)
  } catch (error) {
    return problem(name, asFinding(error))
  }
}

/** `where` comes before the message. */
function problem(name: string, failure: Failure, where = ''): Check {
  const { message, hint, unknownName } = failure
  // A name that does not exist may be a misplaced key.
  const shown = concealed(message, unknownName === undefined ? [] : [unknownName.name])
  return { ...finding(name, 'problem', where + shown, hint), failure }
}

function finding(
  check: string,
  state: Check['state'],
  detail: string,
  advice: string | null = null
): Check {
  return { check, state, detail, advice }
}
