import { asFinding, Failure } from '../../failure.ts'
import { fingerprint } from '../../model/endpoint.ts'
import type { Context } from '../../session/context.ts'
import { type EnvironmentSettings, keyOf } from '../../settings/environment.ts'
import {
  removeAllKeys,
  removeKey,
  savedEnvironment,
  saveLocalKey
} from '../../settings/saved-state.ts'
import { variableOf } from '../../settings/setting-row.ts'
import { shownUrl, tryService } from '../addresses.ts'
import { command, define, option } from '../declare.ts'

const keyColumns = ['environment', 'inUse', 'baseUrl', 'key', 'fingerprint', 'accepted']

export const authStatus = define(
  command('status', 'show the API key of each environment, and whether it is accepted', {
    prints: 'array',
    actsOn: ['requests'],
    columns: { names: [...keyColumns, 'problem'] },
    examples: `
      # test the key of every environment
      petstore auth status
      # test only the key of staging
      petstore auth status --env staging
    `
  }),
  async (_options, context) => {
    const { settings, output } = context
    // Throws if there is no such environment.
    const selected = settings.environmentNamed()
    const isTyped = settings.resolve('env').origin.kind === 'option'
    const environments = isTyped ? [selected] : settings.environments()
    const examined = environments.map(environment => examineKey(context, environment))
    const reports = await Promise.all(examined)
    const rows = reports.map(({ row }) => row)
    await output.list(rows, { names: keyColumns })
    const failure = reports.find(({ row }) => row.inUse)?.failure
    if (failure !== undefined) throw failure
  }
)

/** A row, and the reason why requests to the environment would fail. */
async function examineKey(context: Context, environment: EnvironmentSettings) {
  const { name, isSelected, baseUrl, apiKey } = environment
  const test = async () => {
    // The local service is inside this program and needs no API key.
    if (name === 'local') return
    keyOf(environment)
    await tryService(context, context.settings.endpoint('pets', name))
  }
  const failure = await test().then(() => undefined, asFinding)
  const isRefused = failure?.code === 'auth' && failure.status !== undefined
  const row = {
    environment: name,
    inUse: isSelected,
    baseUrl: shownUrl(context, baseUrl),
    // `saved` in the config file, or the variable that has it.
    key: apiKey ? (variableOf(apiKey) ?? 'saved') : null,
    fingerprint: apiKey ? await fingerprint(apiKey.value) : null,
    // Null if the service did not answer.
    accepted: failure === undefined || (isRefused ? false : null),
    problem: failure && context.report.redact(failure.message)
  }
  return { row, failure }
}

export const authToken = define(
  command('token', 'print the API key', {
    actsOn: ['environment', 'key'],
    examples: `
      # print the key, for example for another program
      petstore auth token
      # print the key of petstore serve
      petstore auth token --env local
    `
  }),
  async (_options, context) => {
    const { settings, output } = context
    const isLocal = settings.value('env') === 'local'
    const key = isLocal ? await localKey(context) : settings.endpoint('pets').key
    await output.text(key ?? '')
  }
)

/** The API key of the local service, created at its first use. */
export async function localKey({ settings, store }: Context): Promise<string> {
  const saved = settings.knownOrNew('local').apiKey
  if (saved !== undefined) return saved.value
  const { randomBytes } = await import('node:crypto')
  const fresh = `local_${randomBytes(24).toString('base64url')}`
  // Another program may create one at the same time: the first one counts.
  const { after } = await store.change(state => {
    const { apiKey } = savedEnvironment(state, 'local')
    return apiKey === undefined ? saveLocalKey(state, fresh) : state
  })
  return savedEnvironment(after, 'local').apiKey ?? fresh
}

export const authLogout = define(
  command('logout', 'remove a saved API key', {
    actsOn: ['environment'],
    changes: 'machine',
    destroys: true,
    examples: `
      # remove the key of one environment
      petstore auth logout --env staging
      # remove all keys
      petstore auth logout --all
    `
  }).addOption(option('--all', 'remove the keys of all environments').conflicts('env')),
  async ({ all }, { settings, store, report }) => {
    const environment = settings.value('env')
    if (environment === 'local' && !all)
      throw new Failure('usage', "petstore serve uses the API key of 'local', which stays")
    await store.change(state => (all ? removeAllKeys(state) : removeKey(state, environment)))
    await report.confirm(`logged out of ${all ? 'all environments' : `'${environment}'`}`)
  }
)
