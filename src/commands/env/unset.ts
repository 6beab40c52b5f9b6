import { Failure } from '../../failure.ts'
import type { Context } from '../../session/context.ts'
import { databasePath } from '../../settings/location.ts'
import { unsetEnvironment } from '../../settings/saved-state.ts'
import { command, define, option } from '../declare.ts'

export const environmentUnset = define(
  command('unset', 'remove an environment', {
    changes: 'machine',
    destroys: true,
    details:
      'This removes its URLs and its API key. For local, it deletes the local data and asks first.',
    examples: `
      # delete the data of the local service without asking
      petstore env unset local --yes
      # remove the URLs and the key of staging
      petstore env unset staging
    `
  })
    .argument('<environment>', 'name of the environment')
    .addOption(option('--yes', 'delete data without asking')),
  async ({ yes = false }, context, name) => {
    if (name === 'local') return deleteLocalData(context, yes)
    const { before } = await context.store.change(state => unsetEnvironment(state, name))
    const isMoved = before.environment === name && name !== 'production'
    const then = isMoved ? '; the default is now production' : ''
    await context.report.confirm(`removed '${name}'${then}`)
  }
)

async function deleteLocalData(context: Context, isConfirmed: boolean) {
  context.settings.requireWritable('local')
  const path = databasePath(context.host)
  if (!isConfirmed) await confirmDeletion(context, path)
  const { deleteDatabase } = await import('../../service/local.ts')
  deleteDatabase(path)
  await context.report.confirm('removed the local data')
}

async function confirmDeletion(context: Context, path: string) {
  const refusal = new Failure(
    'usage',
    `this deletes the local data in ${path}: confirm it with --yes`
  )
  const isSure = await context.withPrompts(openPrompt =>
    openPrompt(refusal).confirm(`Delete the local data in ${path}?`)
  )
  if (!isSure) throw new Failure('interrupted', 'nothing was deleted')
}
