import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { Row } from '../output/columns.ts'
import { argument, command } from './declare.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The program's knowledge of itself, made by the frame out of the command tree. */
export interface Guide {
  /** The help of a command, named by its words, or of a topic; undefined where there is neither. */
  page(words: readonly string[]): string | undefined
  /** The command or topic that misspelt words most likely meant. */
  nearest(words: readonly string[]): string | undefined
  /** The whole program as a value. */
  description(): Row
  /** What makes a shell complete command lines. */
  completion(shell: Shell): Promise<string>
  /** The manual, as roff. */
  manual(): Promise<string>
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
      if (page === undefined) throw unknownPage(words, guide.nearest(words))
      await context.output.page(page)
    })

function unknownPage(words: readonly string[], nearest: string | undefined): Failure {
  const meant = nearest === undefined ? '' : `; did you mean '${nearest}'?`
  return new Failure('usage', `there is no command or topic '${words.join(' ')}'${meant}`, {
    hint: nearest === undefined ? 'petstore help' : `petstore help ${nearest}`,
  })
}
