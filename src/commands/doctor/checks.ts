import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { asFinding, Failure, findingOf } from '../../failure.ts'
import type { RequestEndpoint } from '../../model/endpoint.ts'
import { placeFailure, unlessSystemFails } from '../../platform/errno.ts'
import { exposureOf } from '../../platform/file-access.ts'
import { unsetVariable } from '../../platform/shell.ts'
import { databasePath, noHome } from '../../settings/location.ts'
import { type Settings, showSetting } from '../../settings/settings.ts'
import { type SettingName, variableOf } from '../../settings/table.ts'

/** One finding, and the failure that a command would end with because of it. */
export interface Check {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly detail: string
  readonly hint: string | null
  readonly failure?: Failure
}

/** At most six checks of everything that a request depends on, in the order of that. */
export async function examine(context: Context): Promise<Check[]> {
  const settings = await context.settings()
  const isLocal = settings.value('env') === 'local'
  const program = await check('program', () => describeProgram(context))
  const config = await check('config file', () => describeConfig(context))
  const environment = await check('environment', () => describeEnvironment(settings))
  const network = await checkNetwork(context, settings)
  // What the config file has is unknown without it: that is one problem and not two.
  const isUnknown = config.failure !== undefined && environment.failure !== undefined
  const reaches = isUnknown
    ? [finding('environment', 'skipped', 'unknown without the config file')]
    : [environment, ...network, ...(isLocal ? [] : [await checkRequest(context, settings)])]
  return [program, config, ...reaches, await checkDatabase(context, isLocal)]
}

/** The config file and the local service need SQLite. */
async function describeProgram({ version, host }: Context): Promise<string> {
  const { Sqlite } = await import('../../platform/sqlite.ts')
  new Sqlite(':memory:').close()
  return `petstore ${version}, Node ${host.runtime.node}, ${host.runtime.system}`
}

/** The config file, which stops most commands if it cannot be read. */
async function describeConfig({ store }: Context): Promise<string | Failure> {
  await store.read()
  const { path } = store
  if (path === undefined) return noHome()
  const directory = dirname(path)
  const shown = existsSync(path) ? path : `${path} (not created yet)`
  return exposureOf(path) ?? exposureOf(directory) ?? problemOf(placeFor(directory)) ?? shown
}

/** Why nothing can be saved in a directory. */
function problemOf(place: string): Failure | undefined {
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

/** `staging (PETSTORE_ENV), base URL https://pets.example/v1 (saved), …` */
async function describeEnvironment(settings: Settings): Promise<string> {
  const { name, messagesUrl } = settings.environmentNamed()
  const environment = await describe(settings, 'env')
  if (name === 'local') return environment
  // Throws if the URL or the key is missing or not allowed.
  settings.endpoint('pets')
  if (messagesUrl !== undefined) settings.url('messages')
  const parts = [
    environment,
    `base URL ${await describe(settings, 'base-url')}`,
    messagesUrl ? `messages URL ${await describe(settings, 'messages-url')}` : 'no messages URL',
    `API key with ${await describe(settings, 'api-key')}`
  ]
  return parts.join(', ')
}

/** `staging (PETSTORE_ENV)` */
async function describe(settings: Settings, name: SettingName): Promise<string> {
  const { value, origin, from } = await showSetting(settings, name)
  const source = origin === 'file' ? 'saved' : (from ?? origin)
  return `${value} (${source})`
}

/** Proxies and certificates, if any are set. */
async function checkNetwork({ host }: Context, settings: Settings): Promise<Check[]> {
  const names = ['https-proxy', 'http-proxy', 'no-proxy', 'ca-certs'] as const
  const set = names.filter(name => settings.value(name) !== undefined)
  const isUnverified = host.env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
  if (set.length === 0 && !isUnverified) return []
  const described = async () => {
    if (isUnverified) return certificateFailure('NODE_TLS_REJECT_UNAUTHORIZED', 'is checked')
    const file = settings.value('ca-certs')
    // Node ignores such a file, with a warning at most.
    if (file && !hasCertificate(file))
      return certificateFailure('NODE_EXTRA_CA_CERTS', `can be read from ${file}`)
    const parts = set.map(name => describe(settings, name))
    return (await Promise.all(parts)).join(', ')
  }
  return [await check('network', described)]
}

function certificateFailure(variable: string, problem: string): Failure {
  const hint = unsetVariable(variable)
  return new Failure('local', `no certificate ${problem} (${variable})`, { hint })
}

function hasCertificate(path: string): boolean {
  const bytes = unlessSystemFails(() => readFileSync(path))
  return bytes?.includes('CERTIFICATE-----') ?? false
}

/** One request, which needs no key to find out whether the service replies. */
async function checkRequest(context: Context, settings: Settings): Promise<Check> {
  const url = await findingOf(async () => settings.url('pets'))
  if (url !== undefined) return finding('request', 'skipped', 'there is no URL to ask')
  const hasKey = (await findingOf(async () => settings.endpoint('pets'))) === undefined
  const endpoint: RequestEndpoint = hasKey
    ? settings.endpoint('pets')
    : { ...withoutKey(settings), environment: settings.value('env') }
  const failure = await findingOf(async () => {
    // A wrong value stops every other request.
    settings.value('retries')
    const client = await context.client({ endpoint, retries: 0 })
    await client.listPets({ limit: 1 })
  })
  const isReply = failure === undefined || (failure.code === 'auth' && !hasKey)
  if (isReply) return finding('request', 'ok', `the service replies with ${failure?.status ?? 200}`)
  return problem('request', failure, failure.stage && `${failure.stage}: `)
}

const withoutKey = (settings: Settings) => ({
  url: settings.url('pets'),
  urlVariable: variableOf(settings.resolve('base-url').origin),
  key: '',
  describeKey: 'no API key'
})

/** The data of the service inside this program. Unless it is in use, its database is not created. */
async function checkDatabase(context: Context, isUsed: boolean): Promise<Check> {
  const path = databasePath(context.host) ?? ''
  const name = 'local database'
  if (!isUsed && !existsSync(path)) return finding(name, 'skipped', 'not used yet')
  return check(name, async () => {
    const client = await context.client({ environment: 'local' })
    await client.listPets({ limit: 1 })
    return path || 'in memory'
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
  return { ...finding(name, 'problem', where + failure.message, failure.hint), failure }
}

function finding(
  check: string,
  state: Check['state'],
  detail: string,
  hint: string | null = null
): Check {
  return { check, state, detail, hint }
}
