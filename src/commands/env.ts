import { Failure } from '../failure.ts'
import type { Context } from '../session/context.ts'
import { withScheme } from '../settings/address.ts'
import { databasePath } from '../settings/location.ts'
import {
  changeEnvironment,
  checkSettableName,
  unsetEnvironment,
  useEnvironment
} from '../settings/saved-state.ts'
import { checkAddresses, noticeMoved, shownUrl } from './addresses.ts'
import { command, define, group, option } from './declare.ts'

const environmentColumns = {
  names: ['name', 'inUse', 'baseUrl', 'messagesUrl', 'readOnly', 'idempotent']
}

const list = define(
  command('list', 'list the environments and their URLs', {
    prints: 'array',
    actsOn: ['environment'],
    columns: environmentColumns,
    examples: `
      # list the environments, and show which one is in use
      petstore env list
    `
  }).alias('ls'),
  async (_options, context) => {
    const environments = context.settings.environments()
    const rows = environments.map(({ name, isSelected, baseUrl, messagesUrl, ...marks }) => ({
      name,
      inUse: isSelected,
      baseUrl: shownUrl(context, baseUrl),
      messagesUrl: shownUrl(context, messagesUrl),
      readOnly: marks.readOnlyReason !== undefined,
      idempotent: marks.isIdempotent
    }))
    await context.output.list(rows, environmentColumns)
  }
)

const use = define(
  command('use', 'choose the default environment', {
    changes: 'machine',
    examples: `
      # use the local service by default
      petstore env use local
      # use production by default
      petstore env use production
    `
  }).argument('[environment]', 'name of the environment; in a terminal it can be chosen'),
  async (_options, context, typed) => {
    const name = typed ?? (await chooseEnvironment(context))
    await context.store.change(state => useEnvironment(state, name))
    await context.report.confirm(`'${name}' is now the default environment`)
  }
)

function chooseEnvironment({ settings, withPrompts }: Context) {
  const refusal = new Failure('usage', 'the environment is missing', { hint: 'petstore env list' })
  const names = settings.environments().map(({ name }) => name)
  return withPrompts(openPrompt =>
    openPrompt(refusal).choice('Default environment', names, settings.value('env'))
  )
}

const set = define(
  command('set', 'set up an environment, and create it if needed', {
    changes: 'machine',
    details:
      'With --read-only, no request that changes something is sent. With --idempotent, changes have the header Idempotency-Key and are repeated: only for a service that honors it.',
    examples: `
      # set the base URL
      petstore env set staging --base-url https://HOST/v1
      # create an environment for petstore serve
      petstore env set mine --base-url 127.0.0.1:4010/v1
      # refuse changes
      petstore env set production --read-only
    `
  })
    .argument('<environment>', 'name of the environment')
    .option('--base-url <url>', 'base URL; its path usually ends in /v1', withScheme)
    .option('--messages-url <url>', 'messages URL, without /messages', withScheme)
    .addOption(option('--read-only', 'refuse changes').conflicts('readWrite'))
    .option('--read-write', 'allow changes again')
    .addOption(
      option('--idempotent', 'the service honors Idempotency-Key').conflicts('notIdempotent')
    )
    .option('--not-idempotent', 'the service does not honor it'),
  async (typed, context, name) => {
    const { readOnly, readWrite, idempotent, notIdempotent } = typed
    const ofService = {
      ...checkAddresses(context.settings, typed),
      idempotent: notIdempotent ? false : idempotent
    }
    const change = { ...ofService, readOnly: readWrite ? false : readOnly }
    const isGiven = (value: unknown) => value !== undefined
    if (!Object.values(change).some(isGiven)) throw new Failure('usage', 'nothing to set')
    // The local service can be read-only; what else there is to set, it does not have.
    if (name !== 'local' || Object.values(ofService).some(isGiven)) checkSettableName(name)

    const states = await context.store.change(state => changeEnvironment(state, name, change))
    await context.report.confirm(`saved the settings of '${name}'`)
    await noticeMoved(context, name, states)
  }
)

const unset = define(
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
    .option('--yes', 'delete data without asking'),
  async ({ yes }, context, name) => {
    if (name === 'local') return deleteLocalData(context, yes)
    const { before } = await context.store.change(state => unsetEnvironment(state, name))
    const isMoved = before.environment === name && name !== 'production'
    const then = isMoved ? '; the default is now production' : ''
    await context.report.confirm(`removed '${name}'${then}`)
  }
)

async function deleteLocalData(context: Context, isConfirmed?: boolean) {
  context.settings.requireWritable('local')
  const path = databasePath(context.host)
  if (!isConfirmed) await confirmDeletion(context, path)
  const { deleteDatabase } = await import('../service/local.ts')
  deleteDatabase(path)
  await context.report.confirm('removed the local data')
}

async function confirmDeletion({ withPrompts }: Context, path: string) {
  const problem = `this deletes the local data in ${path}: confirm it with --yes`
  const isSure = await withPrompts(openPrompt =>
    openPrompt(new Failure('usage', problem)).confirm(`Delete the local data in ${path}?`)
  )
  if (!isSure) throw new Failure('interrupted', 'nothing was deleted')
}

export const environmentCommands = group('env', 'manage environments and their URLs', [
  list,
  use,
  set,
  unset
])
