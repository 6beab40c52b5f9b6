import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { realPathOf } from '../../platform/same-file.ts'
import { databasePath, requireConfigPath } from '../../settings/location.ts'
import { defaultEnvironment, unsetEnvironment } from '../../settings/saved-state.ts'
import { command, define, noted, option } from '../declare.ts'

export const environmentUnset = define(
  command('unset', 'remove an environment', {
    prints: 'object',
    changes: 'machine',
    deletes: true,
    details: [
      'This removes its URLs and its API key. For local, it deletes the local data and asks first.'
    ],
    examples: `
      # delete the data of the local service without asking
      petstore env unset local --yes
      # remove the URLs and the key of staging
      petstore env unset staging
    `
  })
    .argument('<environment>', 'name of the environment')
    .addOption(noted(option('--yes', 'delete data without asking'), { isDrastic: true })),
  async ({ yes }, context, name) => {
    let isDeleted = false
    const { host } = context
    const path = name === 'local' ? (databasePath(host) ?? requireConfigPath(host)) : undefined
    if (path !== undefined && !yes) await confirmDeletion(context, path)
    // The data is deleted only when the new config file is on disk, and before it takes effect.
    const change = context.store.change(
      state => unsetEnvironment(state, name),
      async () => {
        if (path === undefined) return
        const { deleteDatabase } = await import('../../service/local.ts')
        isDeleted = deleteDatabase(path)
      }
    )
    const { before, after } = await change.catch(error => {
      throw isDeleted ? withDeletion(error) : error
    })
    const newDefault = defaultEnvironment(after)
    const isDropped = before.environment === name && newDefault !== name
    const changed = isDeleted || before !== after
    await context.output.changed({ environment: name, changed, defaultEnvironment: newDefault })
    if (!changed) return context.report.notice('not-saved', `nothing is saved for '${name}'`)
    const what = name === 'local' ? `the data of 'local'` : `environment '${name}'`
    const next = isDropped ? `; '${newDefault}' is now the default environment` : ''
    await context.report.confirm(`removed ${what}${next}`)
  }
)

async function confirmDeletion(context: Context, path: string): Promise<void> {
  const what = `the data of the local service in ${realPathOf(path)}`
  const refusal = new Failure('usage', `this deletes ${what}: confirm it with --yes`)
  const isSure = await context.withPrompts(openPrompt =>
    openPrompt(refusal).confirm(`Delete ${what}?`)
  )
  if (!isSure) throw new Failure('interrupted', 'nothing was deleted')
}

/** The failure to change the config file, which also says that the data is gone. */
function withDeletion(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  const { code, message, hint } = error
  const problem = `the data of 'local' was deleted, but ${message}`
  return new Failure(code, problem, { hint, change: {}, cause: error })
}
