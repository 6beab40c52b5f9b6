import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { databasePath, requireConfigPath } from '../../settings/location.ts'
import {
  defaultEnvironment,
  savedEnvironment,
  unsetEnvironment,
} from '../../settings/saved-state.ts'
import { command, define, noted, option } from '../declare.ts'

export const environmentUnset = () =>
  define(
    command('unset', 'remove an environment', {
      prints: { shape: 'object', schema: 'removedEnvironment' },
      changes: 'machine',
      deletes: true,
      details: [
        'This removes its URLs and its API key. For local, it deletes the local data and asks first.',
      ],
      examples: [
        ['petstore env unset staging', 'remove the URLs and the key of staging'],
        ['petstore env unset local --yes', 'delete the data of the local service without asking'],
      ],
    })
      .argument('<environment>', 'name of the environment')
      .addOption(noted(option('--yes', 'delete data without asking'), { isDrastic: true })),
    async ({ yes }, context, name) => {
      const prepare = name === 'local' ? await confirmedDeletion(context, yes ?? false) : undefined
      // The data is deleted only when it is certain that the config file can be changed too.
      const { before, after } = await context.store.change(
        (state) => unsetEnvironment(state, name),
        prepare,
      )
      const newDefault = defaultEnvironment(after)
      const isDropped = before.environment === name && newDefault !== name
      const wasSaved =
        name === 'local' || isDropped || Object.keys(savedEnvironment(before, name)).length > 0
      await context.output.changed<'removedEnvironment'>({
        environment: name,
        changed: wasSaved,
        defaultEnvironment: newDefault,
      })
      if (!wasSaved) return context.report.notice('not-saved', `nothing is saved for '${name}'`)
      const what = name === 'local' ? `the data of 'local'` : `environment '${name}'`
      await context.report.confirm(
        `removed ${what}${isDropped ? `; '${newDefault}' is now the default environment` : ''}`,
      )
    },
  )

async function confirmedDeletion(context: Context, isConfirmed: boolean) {
  const path = databasePath(context.host) ?? requireConfigPath(context.host)
  if (!isConfirmed) {
    const refusal = `this deletes the data of the local service in ${path}: confirm it with --yes`
    const isSure = await context.withPrompts((openPrompt) =>
      openPrompt(new Failure('usage', refusal)).confirm(
        `Delete the data of the local service in ${path}?`,
      ),
    )
    if (!isSure) throw new Failure('interrupted', 'nothing was deleted', { signal: 'SIGINT' })
  }
  const { deleteDatabase } = await import('../../service/local.ts')
  return () => deleteDatabase(path)
}
