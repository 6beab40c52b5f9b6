import type { Context } from '../context.ts'
import { command } from './declare.ts'
import type { Guide } from './help.ts'

/** What the build writes into `man/`. */
export const manual = (context: Context, guide: Guide) =>
  command('__manual', 'the manual as roff', { examples: [] }).action(async () => {
    await context.output.text(await guide.manual())
  })
