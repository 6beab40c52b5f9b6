import { asFinding } from '../../failure.ts'
import { fingerprint } from '../../model/endpoint.ts'
import type { Context } from '../../session/context.ts'
import { type EnvironmentSettings, keyOf } from '../../settings/environment.ts'
import { variableOf } from '../../settings/setting-row.ts'
import { shownUrl, tryService } from '../addresses.ts'
import { command, define } from '../declare.ts'

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

/**
 * A row, and the reason why requests to the environment would fail. `accepted` is null if the
 * service did not answer.
 */
async function examineKey(context: Context, environment: EnvironmentSettings) {
  const { name, isSelected, baseUrl, apiKey } = environment
  const { redact } = context.report
  const row = {
    environment: name,
    inUse: isSelected,
    baseUrl: shownUrl(context, baseUrl),
    // `saved` in the config file, or the variable that has it.
    key: apiKey === undefined ? null : (variableOf(apiKey) ?? 'saved'),
    fingerprint: apiKey === undefined ? null : await fingerprint(apiKey.value)
  }
  const test = async () => {
    // The local service is inside this program and needs no API key.
    if (name === 'local') return
    keyOf(environment)
    await tryService(context, context.settings.endpoint('pets', name))
  }
  const failure = await test().then(() => undefined, asFinding)
  const isAccepted = failure === undefined
  const isRefused = failure?.code === 'auth' && failure.status !== undefined
  const accepted = isAccepted || isRefused ? isAccepted : null
  return { row: { ...row, accepted, problem: failure && redact(failure.message) }, failure }
}
