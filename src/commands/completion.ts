import type { Context } from '../context.ts'
import { argument, command } from './declare.ts'
import { type Guide, shells } from './help.ts'

export const completion = (context: Context, guide: Guide) =>
  command('completion', 'print the completion script for a shell', {
    examples: [
      ['source <(petstore completion bash)', 'in ~/.bashrc; the same in ~/.zshrc with zsh'],
      ['petstore completion fish | source', 'in ~/.config/fish/config.fish'],
      ['petstore completion zsh > _petstore', 'or as a file in a directory of $fpath'],
    ],
  })
    .addArgument(argument('<shell>', 'whose script').choices(shells))
    .action(async (shell) => {
      await context.output.text(await guide.completion(shell))
    })
