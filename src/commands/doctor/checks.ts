import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { Failure, findingOf, type RequestStage } from '../../failure.ts'
import { type Endpoint, fingerprint } from '../../model/endpoint.ts'
import type { ChecklistRow } from '../../output/checklist.ts'
import { anotherDirectory, placeFailure, systemErrorCode } from '../../platform/errno.ts'
import { exposureOf, readRegularFile, requireWritable } from '../../platform/file-access.ts'
import type { Host } from '../../platform/host.ts'
import { commandLine } from '../../platform/shell.ts'
import { databasePath } from '../../settings/location.ts'
import { type Settings, showSetting } from '../../settings/settings.ts'
import { variableOf } from '../../settings/table.ts'
import { concealed } from '../../settings/typed-secrets.ts'

/**
 * Shows without an API key whether a service replies. It is masked like any key, so it must be no
 * ordinary word.
 */
const placeholderKey = 'petstore-doctor-without-key'

/** Five to ten checks of everything that a request depends on. */
export async function examine(context: Context): Promise<Check[]> {
  const { host } = context
  const settings = await context.settings()
  const config = await checkConfig(context)
  const runtime = `${host.runtime.node} on ${host.runtime.system}`
  const node = await runCheck('Node', async () => {
    const { loadSqlite } = await import('../../platform/sqlite.ts')
    loadSqlite()
    return runtime
  })
  const machine = [ok('petstore', context.version), node, config]
  // What the local service lacks then is said once.
  const local = (isUsed: boolean) =>
    node.failure === undefined
      ? checkLocal(context, isUsed)
      : skipped('local service', 'unknown without SQLite')
  const environment = await runCheck('environment', () => describeEnvironment(settings))
  if (environment.failure !== undefined) {
    // A missing URL may be in the config file that cannot be read: that is one problem and not two.
    const shown =
      config.failure === undefined
        ? environment
        : skipped('environment', 'unknown without the config file')
    return [...machine, shown, await local(false)]
  }
  if (settings.value('env') === 'local') return [...machine, environment, await local(true)]

  const service = await checkService(context, settings)
  const proxy = await checkProxy(settings, host)
  const certificates = checkCertificates(settings, host)
  const network = [proxy ?? [], certificates ?? []].flat()
  return [...machine, environment, ...network, ...service, await local(false)]
}

/** `staging (PETSTORE_ENV)` */
async function describe(
  settings: Settings,
  name: 'env' | 'base-url' | 'messages-url',
): Promise<string> {
  const { value, origin, from } = await showSetting(settings, name)
  const source = origin === 'file' ? 'saved' : (from ?? origin)
  return `${value} (${source})`
}

/** `staging (PETSTORE_ENV), base URL https://pets.example/v1 (saved)` */
async function describeEnvironment(settings: Settings): Promise<string> {
  const { name } = settings.environmentNamed(settings.requestEnvironment())
  if (name === 'local') return describe(settings, 'env')
  // Throws if the URL is missing or not allowed.
  settings.url('pets')
  const environment = await describe(settings, 'env')
  const baseUrl = await describe(settings, 'base-url')
  return `${environment}, base URL ${baseUrl}`
}

/**
 * The messages URL, the API key, and one request, which needs no key to find out whether the
 * service replies.
 */
async function checkService(context: Context, settings: Settings): Promise<Check[]> {
  // Only messages need the messages URL.
  const failedMessages = await findingOf(async () => settings.url('messages'))
  const messages =
    failedMessages === undefined
      ? ok('messages URL', await describe(settings, 'messages-url'))
      : warning('messages URL', failedMessages.message, failedMessages.hint ?? null)
  let endpoint: Endpoint = {
    url: settings.url('pets'),
    urlVariable: variableOf(settings.resolve('base-url').origin),
    key: placeholderKey,
    describeKey: 'no API key',
    environment: settings.value('env'),
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
  const isAboutKey = failure?.code === 'auth'
  const status = failure?.status ?? 200
  const request =
    failure === undefined || isAboutKey
      ? ok('request', `the service replies with ${status}`)
      : problem('request', failure, stageText(failure.stage))
  const mark = await fingerprint(endpoint.key)
  const which = `${endpoint.describeKey} (fingerprint ${mark})`
  const refusal = keyFailure ?? (isAboutKey ? failure : undefined)
  const untested =
    failure === undefined
      ? ok('API key', `${which} is accepted`)
      : skipped('API key', `${which} was not tested`)
  const key = refusal === undefined ? untested : problem('API key', refusal)
  return [messages, key, request]
}

const stageNames: Partial<Record<RequestStage, string>> = { lookup: 'name lookup', tls: 'TLS' }

const stageText = (stage: RequestStage | undefined) =>
  stage === undefined ? '' : `${stageNames[stage] ?? stage}: `

/** The service inside this program. Unless it is in use, its database is not created. */
async function checkLocal(context: Context, isUsed: boolean): Promise<Check> {
  const path = databasePath(context.host)
  const hasDatabase = path !== undefined && existsSync(path)
  if (!isUsed && !hasDatabase) {
    return skipped('local service', 'not used yet; to try it: petstore pets list --env local')
  }
  const endpoint = {
    url: 'http://local.invalid/v1',
    key: placeholderKey,
    describeKey: 'no key',
    environment: 'local',
  }
  return runCheck('local service', async () => {
    const client = await context.client(isUsed ? {} : { endpoint })
    await client.listPets({ limit: 1 })
    return path === undefined ? 'replies' : `replies, with ${path}`
  })
}

/** What the work finds, or the failure that it ends with. */
async function runCheck(name: string, work: () => Promise<string>): Promise<Check> {
  let detail = ''
  const failure = await findingOf(async () => {
    detail = await work()
  })
  return failure === undefined ? ok(name, detail) : problem(name, failure)
}

/** A name that does not exist may be a misplaced key. */
function withoutTypedKey({ message, unknownName }: Failure): string {
  return unknownName === undefined ? message : concealed(message, [unknownName.name])
}

/** One finding, and the failure that a command would end with because of it. */
export type Check = ChecklistRow & { readonly failure?: Failure }

function finding(
  check: string,
  state: Check['state'],
  detail: string,
  advice: string | null = null,
): Check {
  return { check, state, detail, advice }
}

function ok(check: string, detail: string): Check {
  return finding(check, 'ok', detail)
}

function skipped(check: string, detail: string): Check {
  return finding(check, 'skipped', detail)
}

function warning(check: string, detail: string, advice: string | null): Check {
  return finding(check, 'warning', detail, advice)
}

/** `where` comes before the message. */
function problem(check: string, failure: Failure, where = ''): Check {
  const detail = where + withoutTypedKey(failure)
  return { ...finding(check, 'problem', detail, failure.hint), failure }
}

/**
 * The config file, which stops most commands if it cannot be read, and which other users could
 * read.
 */
export async function checkConfig({ store }: Pick<Context, 'store'>): Promise<Check> {
  const { path } = store
  const failure = await findingOf(store.read)
  if (failure !== undefined) return problem('config file', failure)
  if (path === undefined) {
    return warning(
      'config file',
      'there is no home directory, so nothing can be saved',
      anotherDirectory,
    )
  }
  const directory = dirname(path)
  const exposure = exposureOf(path) ?? exposureOf(directory)
  if (exposure !== undefined)
    return warning('config file', exposure.problem, exposure.remedy ?? null)
  const place = existingDirectory(directory)
  try {
    const { bavail, bsize } = statfsSync(place)
    const freeBytes = bavail * bsize
    if (freeBytes < neededBytes) {
      const hint = commandLine('df -h', { paths: [place] })
      const failure = new Failure('local', `less than 1 MB is free in ${place}`, { hint })
      return problem('config file', failure)
    }
    requireWritable(place)
    accessSync(place, constants.W_OK | constants.X_OK)
  } catch (error) {
    const failure = placeFailure(error, place, `${place} cannot be written`)
    if (!(failure instanceof Failure)) throw error
    return warning('config file', failure.message, failure.hint ?? null)
  }
  const shown = existsSync(path) ? path : `${path} (not created yet)`
  return ok('config file', shown)
}

const neededBytes = 1024 ** 2

/** The first directory on the way up that exists: the others are made when they are needed. */
function existingDirectory(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : existingDirectory(parent)
}

const proxySettings = ['https-proxy', 'http-proxy', 'all-proxy', 'no-proxy'] as const

/** The proxies that variables name, and whether requests to the base URL use one. */
async function checkProxy(settings: Settings, { env }: Host): Promise<Check | undefined> {
  const names = proxySettings.filter((name) => settings.value(name))
  if (names.length === 0) return undefined
  const shown = names.map(async (name) => {
    const { value, from } = await showSetting(settings, name)
    return `${from}=${value}`
  })
  const { proxyFor } = await import('../../settings/proxies.ts')
  return runCheck('proxy', async () => {
    const variables = await Promise.all(shown)
    const isUsed = proxyFor(settings.url('pets'), env) !== undefined
    const use = isUsed ? 'used' : 'not used'
    return `${variables.join(', ')}; ${use} for the base URL`
  })
}

/** Node ignores a file that it cannot read, with a warning at most. */
function checkCertificates(settings: Settings, { env, runtime }: Host): Check | undefined {
  const systemStore = env.NODE_USE_SYSTEM_CA
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warning(
      'certificates',
      'NODE_TLS_REJECT_UNAUTHORIZED=0: no certificate is checked',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    )
  }
  const path = settings.value('ca-certs')
  const fault = path === undefined ? undefined : certificateFault(path)
  if (fault !== undefined) {
    const detail = `NODE_EXTRA_CA_CERTS=${path} ${fault}`
    return warning('certificates', detail, 'unset NODE_EXTRA_CA_CERTS')
  }
  const isSet = systemStore === '1'
  if (systemStore && (!isSet || !knowsSystemStore(runtime.node))) {
    const reason = isSet ? `Node ${runtime.node} does not know it` : 'only 1 sets it'
    const detail = `NODE_USE_SYSTEM_CA=${systemStore} has no effect: ${reason}`
    return warning('certificates', detail, 'unset NODE_USE_SYSTEM_CA')
  }
  const parts = [
    path === undefined ? [] : `NODE_EXTRA_CA_CERTS=${path}`,
    systemStore ? `NODE_USE_SYSTEM_CA=${systemStore}` : [],
  ].flat()
  if (parts.length === 0) return undefined
  return ok('certificates', `Node's own and ${parts.join(', ')}`)
}

/** What is wrong with a file of certificates; undefined if nothing is. */
function certificateFault(path: string): string | undefined {
  let bytes: Buffer | undefined
  try {
    bytes = readRegularFile(path)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return 'cannot be read'
  }
  if (bytes === undefined) return 'is not a regular file'
  if (!bytes.includes('CERTIFICATE-----')) return 'has no certificate in it'
  return undefined
}

/** https://nodejs.org/api/cli.html#node_use_system_ca1 */
function knowsSystemStore(version: string): boolean {
  const numbers = version.replace(/^v/, '').split('.')
  const [major = 0, minor = 0] = numbers.map(Number)
  if (major === 22) return minor >= 19
  if (major === 24) return minor >= 6
  return major > 24
}
