import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { realPathOf } from '../../platform/same-file.ts'
import type { Deletion } from '../../service/local.ts'
import type { StateChange } from '../../settings/config-file.ts'
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
      const deletion = name === 'local' ? await confirmedDeletion(context, yes ?? false) : undefined
      const { before, after } = await changeAfterDeletion(context, name, deletion)
      const newDefault = defaultEnvironment(after)
      const isDropped = before.environment === name && newDefault !== name
      const wasSaved =
        deletion?.result?.isDeleted === true ||
        isDropped ||
        Object.keys(savedEnvironment(before, name)).length > 0
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
      if (deletion?.result?.isElsewhere) {
        const problem = 'another name of its file (a hard link) still has the data'
        await context.report.notice('not-removed', problem)
      }
    },
  )

/** The data of the local service, which is deleted while its config is changed. */
interface LocalDeletion {
  run(): Promise<void>
  /** Undefined until it has run. */
  result: Deletion | undefined
}

async function confirmedDeletion(context: Context, isConfirmed: boolean): Promise<LocalDeletion> {
  const path = databasePath(context.host) ?? requireConfigPath(context.host)
  const shown = realPathOf(path)
  if (!isConfirmed) {
    const refusal = `this deletes the data of the local service in ${shown}: confirm it with --yes`
    const isSure = await context.withPrompts((openPrompt) =>
      openPrompt(new Failure('usage', refusal)).confirm(
        `Delete the data of the local service in ${shown}?`,
      ),
    )
    if (!isSure) throw new Failure('interrupted', 'nothing was deleted', { signal: 'SIGINT' })
  }
  const { deleteDatabase } = await import('../../service/local.ts')
  const deletion: LocalDeletion = {
    result: undefined,
    run: async () => {
      deletion.result = await deleteDatabase(path)
    },
  }
  return deletion
}

/** The data is deleted only when the new config file is on disk, and before it takes effect. */
async function changeAfterDeletion(
  { store }: Context,
  name: string,
  deletion: LocalDeletion | undefined,
): Promise<StateChange> {
  try {
    return await store.change((state) => unsetEnvironment(state, name), deletion?.run)
  } catch (error) {
    if (!(error instanceof Failure) || !deletion?.result?.isDeleted) throw error
    const { code, message, hint } = error
    const problem = `the data of '${name}' was deleted, but ${message}`
    throw new Failure(code, problem, { hint, change: {}, cause: error })
  }
}
