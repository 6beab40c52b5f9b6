import type { AnyCommand } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { firstSteps } from './help.ts'

/** What a group of commands prints when it stands alone; to somebody who has set nothing up, first how to start. */
export async function openingPage(program: AnyCommand, context: Context, page: string): Promise<string> {
  const isAlone = program.args.length === 0
  return isAlone && (await isUntouched(context)) ? `${firstSteps(context.host.columns())}\n\n${page}` : page
}

async function isUntouched({ host, store }: Context): Promise<boolean> {
  const isSet = Object.entries(host.env).some(([name, value]) => name.startsWith('PETSTORE_') && value)
  if (isSet) return false
  // A config file that can't be read is somebody's too.
  const kept = await store.read().catch(() => undefined)
  return kept !== undefined && Object.keys(kept).length === 0
}
