import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { checkKey, fingerprint } from '../../model/endpoint.ts'
import { shownAddress } from '../../settings/address.ts'
import { type EnvironmentSettings, requireKey } from '../../settings/endpoint.ts'
import type { Settings } from '../../settings/settings.ts'
import { command, define } from '../declare.ts'

const columns = ['environment', 'inUse', 'baseUrl', 'key', 'fingerprint', 'accepted']

export const authStatus = () =>
  define(
    command('status', 'show the API key of each environment, and whether it is accepted', {
      actsOn: ['environment', 'requests', 'data'],
      fields: [...columns, 'problem'],
      examples: [
        ['petstore auth status', 'test the key of every environment'],
        ['petstore auth status --no-verify --json', 'show the keys without testing them'],
      ],
    }).option('--no-verify', 'show the keys without testing them'),
    async ({ verify }, context) => {
      const settings = await context.settings()
      const selected = settings.environmentNamed(settings.value('env'))
      const reports = await allOf(
        settings.environments().map((environment) => examine(context, settings, environment, verify)),
      )
      await context.output.list(
        reports.map(({ row }) => row),
        columns,
        { isWrapped: true },
      )
      const failure = reports.find(({ row }) => row.environment === selected.name)?.failure
      if (failure !== undefined) throw failure
    },
  )

/** Waits for all of them even if one fails: a dry run shows the request of each before it ends. */
async function allOf<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

/** A row, and why requests to the environment would fail. `accepted` is null if the service was not asked, or could not answer. */
async function examine(context: Context, settings: Settings, environment: EnvironmentSettings, verify: boolean) {
  const { name, isSelected, baseUrl, apiKey } = environment
  const row = {
    environment: name,
    inUse: isSelected,
    baseUrl: baseUrl === undefined ? null : shownAddress(baseUrl.value),
    // `saved` in the config file, or the variable that has it.
    key: apiKey === undefined ? null : apiKey.origin.kind === 'variable' ? apiKey.origin.name : 'saved',
    fingerprint: apiKey === undefined ? null : await fingerprint(apiKey.value),
  }
  // The local service is inside this program and needs no API key.
  if (name === 'local') return { row: { ...row, accepted: true } }
  try {
    checkKey(requireKey(environment).value)
    if (!verify) return { row: { ...row, accepted: null } }
    const client = await context.clientFor(settings.endpoint('pets', name))
    await client.listPets({ limit: 1 })
    return { row: { ...row, accepted: true } }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error
    const accepted = error.code === 'auth' && error.status !== undefined ? false : null
    return { row: { ...row, accepted, problem: await context.redact(error.message) }, failure: error }
  }
}
