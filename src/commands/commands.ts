import type { Context } from '../context.ts'
import { command } from './declare.ts'
import type { Guide } from './help.ts'

export const listCommands = (context: Context, guide: Guide) =>
  command('commands', 'describe the whole program in JSON, for other programs and for agents', {
    actsOn: ['data'],
    examples: [
      ['petstore commands', 'commands with arguments, options and examples, and the exit codes'],
      [`petstore commands | jq -r '.commands[].name'`, 'the names of the commands'],
    ],
  }).action(async () => {
    await context.output.document(guide.description())
  })
