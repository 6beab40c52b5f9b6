import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { PetQuery } from '../../model/pets.ts'
import { petColumns } from '../../output/columns.ts'
import { formats } from '../../output/formats.ts'
import type { Watcher } from '../../output/watch/watch.ts'

/** `pets list --watch`: a table that is redrawn in a terminal, events as JSON elsewhere. */
export async function watchPets(
  context: Context,
  query: PetQuery,
  { seconds, limitMessage }: WatchNotes,
): Promise<void> {
  const settings = await context.settings()
  const output = settings.resolve('output')
  const isDrawn = context.host.terminal.stdout && formats[output.value].isForPeople
  if (output.origin.kind === 'flag' && !isDrawn && !formats[output.value].isJson) {
    throw new Failure('usage', `--watch prints a table in a terminal and JSON elsewhere, not ${output.value}`, {
      hint: 'petstore pets list --watch --json',
    })
  }
  context.interruption.expect()
  const client = await context.client()
  const { watch } = await import('../../output/watch/watch.ts')
  await watch({
    list: () => client.listPets(query),
    watcher: await watcherFor(context, settings.value('env'), limitMessage),
    seconds,
    signal: context.interruption.signal,
  })
}

interface WatchNotes {
  readonly seconds: number
  /** Says that a list of this length may not be all. */
  readonly limitMessage: (count: number) => string | undefined
}

async function watcherFor(
  { output, reporter, host, notice }: Context,
  environment: string,
  limitMessage: WatchNotes['limitMessage'],
): Promise<Watcher> {
  const now = () => host.now()
  const table = await output.liveTable(petColumns)
  if (table === undefined) {
    const { createJsonWatcher } = await import('../../output/watch/json-watcher.ts')
    return createJsonWatcher({ now, print: output.event, describe: reporter.describe, limitMessage, notice })
  }
  const { createScreenWatcher } = await import('../../output/watch/screen-watcher.ts')
  const watcher = createScreenWatcher({
    table,
    now,
    title: environment,
    describe: async (failure) => (await reporter.describe(failure)).message,
    limitMessage,
  })
  reporter.divertNotices(watcher.showNotice)
  return watcher
}
