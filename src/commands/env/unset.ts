import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { Result } from '../../model/results.ts'
import { databasePath, requireJournalsDirectory } from '../../settings/location.ts'
import { defaultEnvironment, savedEnvironment, unsetEnvironment } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'

export const environmentUnset = () =>
  define(
    command('unset', 'remove an environment', {
      prints: { shape: 'object', schema: 'removedEnvironment' },
      changes: 'machine',
      deletes: true,
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
      const { before, after } = await context.store.change((state) => unsetEnvironment(state, name))
      const newDefault = defaultEnvironment(after)
      const isDropped = before.environment === name && newDefault !== name
      const wasSaved = name === 'local' || isDropped || Object.keys(savedEnvironment(before, name)).length > 0
      const result: Result<'removedEnvironment'> = {
        environment: name,
        changed: wasSaved,
        defaultEnvironment: newDefault,
      }
      await context.output.changed(result)
      if (!wasSaved) return context.report.notice('not-saved', `nothing is saved for '${name}'`)
      const what = name === 'local' ? `the data of 'local'` : `environment '${name}'`
      await context.report.confirm(
        `removed ${what}${isDropped ? `; '${newDefault}' is now the default environment` : ''}`,
      )
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
  await context.report.notice('set-aside', `${journals} set aside, so the same file can be imported again`)
}

async function confirm(context: Context, path: string): Promise<void> {
  const refusal = `this deletes the data of the local service in ${path}: confirm it with --yes`
  const prompt = await context.prompt(new Failure('usage', refusal))
  const isSure = await prompt.confirm(`Delete the data of the local service in ${path}?`)
  if (!isSure) throw new Failure('interrupted', 'nothing was deleted', { signal: 'SIGINT' })
}
