import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { databasePath, requireJournalsDirectory } from '../../settings/location.ts'
import { savedEnvironment, unsetEnvironment } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'

export const environmentUnset = () =>
  define(
    command('unset', 'remove an environment', {
      changes: 'machine',
      details: ['This removes its URLs and its API key. For local, it deletes the local data and asks first.'],
      examples: [
        ['petstore env unset staging', 'remove the URLs and the key of staging'],
        ['petstore env unset local --yes', 'delete the data of the local service without asking'],
      ],
    })
      .argument('<environment>', 'name of the environment')
      .option('--yes', 'delete data without asking'),
    async ({ yes }, context, name) => {
      if (name === 'local') await deleteLocalData(context, yes ?? false)
      const { before } = await context.store.change((state) => unsetEnvironment(state, name))
      const wasDefault = before.environment === name
      const wasSaved = name === 'local' || wasDefault || Object.keys(savedEnvironment(before, name)).length > 0
      if (wasSaved) await context.confirm(`removed ${name === 'local' ? 'the data of' : 'environment'} '${name}'`)
      else await context.notice('not-saved', `nothing is saved for '${name}'`)
      if (wasDefault) await context.notice('default', "'production' is the default environment again")
    },
  )

async function deleteLocalData(context: Context, isConfirmed: boolean): Promise<void> {
  const path = databasePath(context.host)
  if (path === undefined) return
  if (!isConfirmed) await confirm(context, path)
  const { deleteDatabase } = await import('../../service/local.ts')
  await deleteDatabase(path)

  const { setJournalsAside } = await import('../../import/journals-directory.ts')
  const count = await setJournalsAside(requireJournalsDirectory(context.host), 'local', context.host.now())
  if (count === 0) return
  const journals = count === 1 ? 'the journal of 1 import was' : `the journals of ${count} imports were`
  await context.notice('set-aside', `${journals} set aside, so the same file can be imported again`)
}

async function confirm(context: Context, path: string): Promise<void> {
  const refusal = new Failure('usage', `this deletes the data of the local service in ${path}`, {
    hint: 'petstore env unset local --yes',
  })
  const prompt = await context.prompt(refusal)
  const isSure = await prompt.confirm(`Delete the data of the local service in ${path}?`)
  if (!isSure) throw new Failure('interrupted', 'nothing was deleted', { signal: 'SIGINT' })
}
