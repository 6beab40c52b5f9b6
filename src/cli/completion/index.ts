import type { AnyCommand } from '../../commands/declare.ts'
import type { Shell } from '../../commands/help.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { placesOf } from './model.ts'
import { zshScript } from './zsh.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** Everything but the names of environments is written down in it: a TAB does not start the program. */
export function completionScript(program: AnyCommand, shell: Shell): string {
  return scripts[shell](placesOf(program)).trimEnd()
}
