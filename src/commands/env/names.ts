import type { Context } from '../../context.ts'
import { environmentNames } from '../../settings/environments.ts'
import { command } from '../declare.ts'

/** What completion asks while somebody waits for a TAB: it reads the config and nothing more. */
export const environmentNamesForCompletion = (context: Context) =>
  command('__environments', 'the names of the environments, for completion', { examples: [] }).action(async () => {
    // Where the config can't be read there are still the environments that are always there.
    const kept = await context.store.read().catch(() => ({}))
    await context.output.text(environmentNames(kept).join('\n'))
  })
