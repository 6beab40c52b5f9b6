import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { withoutUserInfo } from '../../settings/address.ts'
import type { EnvironmentSettings } from '../../settings/endpoint.ts'
import { checkKey, fingerprint } from '../../settings/keys.ts'
import type { Settings } from '../../settings/settings.ts'
import { command, define, option } from '../declare.ts'

const columns = ['environment', 'inUse', 'address', 'key', 'fingerprint', 'accepted']

export const authStatus = () =>
  define(
    command('status', 'which environment has a key, and whether it is accepted', {
      actsOn: ['environment', 'requests', 'data'],
      fields: [...columns, 'problem'],
      examples: [
        ['petstore auth status', 'ask each service whether it accepts its key'],
        ['petstore auth status --no-verify --json', 'ask nobody'],
      ],
    }).addOption(option('--no-verify', 'do not ask the service')),
    async ({ verify }, context) => {
      const settings = await context.settings()
      const inUse = settings.environmentNamed(settings.value('env'))
      const reports = await allOf(
        settings.environments().map((environment) => examine(context, settings, environment, verify)),
      )
      await context.output.list(
        reports.map(({ row }) => row),
        columns,
      )
      const trouble = reports.find(({ row }) => row.environment === inUse.name)?.trouble
      if (trouble !== undefined) throw trouble
    },
  )

interface Report {
  readonly row: {
    readonly environment: string
    readonly inUse: boolean
    readonly address: string | null
    /** Where the key is: in the config file, or in the variable that is named. */
    readonly key: string | null
    readonly fingerprint: string | null
    /** `null` where nobody was asked, or nobody could answer. */
    readonly accepted: boolean | null
    readonly problem?: string
  }
  /** Why requests to this environment would fail. */
  readonly trouble?: Failure
}

/** Waits for all of them, also where one fails: a dry run shows a request for each before it ends. */
async function allOf<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

async function examine(
  context: Context,
  settings: Settings,
  environment: EnvironmentSettings,
  verify: boolean,
): Promise<Report> {
  const { name, isSelected, baseUrl, apiKey } = environment
  const row = {
    environment: name,
    inUse: isSelected,
    address: baseUrl === undefined ? null : withoutUserInfo(baseUrl.value),
    key: apiKey === undefined ? null : apiKey.origin.kind === 'variable' ? apiKey.origin.name : 'kept',
    fingerprint: apiKey === undefined ? null : await fingerprint(apiKey.value),
  }
  // The local service is in this program and needs no key.
  if (name === 'local') return { row: { ...row, accepted: true } }
  try {
    if (apiKey === undefined) {
      throw new Failure('auth', `there is no key for the environment ${name}`, {
        hint: `petstore auth login --env ${name}`,
      })
    }
    checkKey(apiKey.value)
    if (!verify) return { row: { ...row, accepted: null } }
    const client = await context.clientFor(settings.endpoint('pets', name))
    await client.listPets({ limit: 1 })
    return { row: { ...row, accepted: true } }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error
    const accepted = error.code === 'auth' && error.status !== undefined ? false : null
    return { row: { ...row, accepted, problem: await context.redact(error.message) }, trouble: error }
  }
}
