import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { argument, command } from './declare.ts'

/** The program's knowledge of itself, made by the frame out of the command tree. */
export interface Guide {
  /** The help of a command, named by its words, or of a topic; undefined where there is neither. */
  page(words: readonly string[]): string | undefined
}

export const help = (context: Context, guide: Guide) =>
  command('help', 'help on a command or a topic', {
    examples: [
      ['petstore help pets list', 'help on a command'],
      ['petstore help exit-codes', 'help on a topic'],
    ],
  })
    .addArgument(argument('[words...]', 'a command or a topic'))
    .action(async (words) => {
      const page = guide.page(words)
      if (page === undefined) {
        throw new Failure('usage', `there is no command or topic '${words.join(' ')}'`, { hint: 'petstore help' })
      }
      await context.output.text(page)
    })
