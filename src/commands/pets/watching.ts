import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { PetQuery } from '../../model/pets.ts'
import { petColumns } from '../../output/columns.ts'
import { formats } from '../../output/formats.ts'
import type { Watcher } from '../../output/watch/watch.ts'

/** `pets list --watch`: a table that is redrawn in a terminal, events as JSON elsewhere. */
export async function watchPets(context: Context, query: PetQuery, seconds: number): Promise<void> {
  const settings = await context.settings()
  const output = settings.resolve('output')
  const isDrawn = context.host.terminal.stdout && output.value === 'table'
  if (output.origin.kind === 'flag' && !isDrawn && !formats[output.value].isJson) {
    throw new Failure('usage', `--watch prints a table in a terminal and JSON elsewhere, not ${output.value}`, {
      hint: 'petstore pets list --watch --json',
    })
  }
  const client = await context.client()
  const { watch } = await import('../../output/watch/watch.ts')
  await watch({
    list: () => client.listPets(query),
    watcher: await watcherFor(context, settings.value('env')),
    seconds,
    signal: context.interruption.signal,
  })
}

async function watcherFor({ output, reporter, host }: Context, environment: string): Promise<Watcher> {
  const now = () => host.now()
  const table = await output.liveTable(petColumns)
  if (table === undefined) {
    const { createJsonWatcher } = await import('../../output/watch/json-watcher.ts')
    return createJsonWatcher({ now, print: output.event, describe: reporter.describe })
  }
  const { createScreenWatcher } = await import('../../output/watch/screen-watcher.ts')
  const watcher = createScreenWatcher({
    table,
    now,
    title: environment,
    describe: async (failure) => (await reporter.describe(failure)).message,
  })
  reporter.divertNotices(watcher.showNotice)
  return watcher
}
