import { asFailure, Failure } from '../failure.ts'
import { formats, type OutputSettings } from '../output/formats.ts'
import { createOutput } from '../output/output.ts'
import { paintFor } from '../output/paint.ts'
import { type PartialSettings, Settings } from '../settings/settings.ts'
import { openStore } from '../settings/store.ts'
import { createReporter } from '../terminal/reporter.ts'
import { urlPasswords, variablePasswords } from '../text/typed-secrets.ts'
import { createClients } from './clients.ts'
import type { Context } from './context.ts'

/**
 * Makes what a command can use, with the options that were typed. Expensive parts are loaded and
 * created at first use.
 */
export async function createContext(
  argv: readonly string[],
  flags: PartialSettings,
  run: Pick<Context, 'host' | 'interruption' | 'version' | 'retyped'>
): Promise<Context> {
  const { host, interruption } = run
  const store = openStore(host, interruption)
  const settings = new Settings(host, flags, await store.read().catch(asFailure))
  const report = createReporter(host, settings.presentation(), interruption)
  const passwords = [...variablePasswords(host.env), ...urlPasswords(argv)]
  const keys = [host.env.PETSTORE_API_KEY, ...settings.savedKeys()]
  for (const secret of [...keys, ...passwords]) report.addSecret(secret)
  const output = createOutput({
    host,
    interruption,
    typedFormat: flags.output,
    confirm: report.confirm,
    get settings() {
      return outputSettings(settings)
    }
  })

  return {
    ...run,
    store,
    settings,
    report,
    output,
    ...createClients({ ...run, settings, output, report }),
    requireReady: service => {
      settings.endpoint(service)
      settings.requireWritable()
    },
    withPrompts: async work => {
      const { withPrompts } = await import('../terminal/prompt.ts')
      const paint = await paintFor(host, 'stderr', settings.value('color'))
      return withPrompts({ host, paint, interruption, canPrompt: settings.value('input') }, work)
    }
  }
}

/** How data appears. Each part is read when it is needed. */
function outputSettings(settings: Settings): OutputSettings {
  const format = settings.value('output')
  const int64AsStrings = settings.value('int64') === 'string'
  if (int64AsStrings && formats[format].kind !== 'json') {
    const problem = `--int64 applies only to JSON, and the output format is ${format}: add --json`
    throw new Failure('usage', problem)
  }
  return {
    format,
    color: settings.value('color'),
    quiet: settings.value('quiet'),
    fields: settings.value('fields'),
    jq: settings.value('jq'),
    int64AsStrings
  }
}
