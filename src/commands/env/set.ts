import { Failure } from '../../failure.ts'
import { withScheme } from '../../settings/address.ts'
import { changeEnvironment, checkSettableName } from '../../settings/saved-state.ts'
import { checkAddresses, noticeMoved } from '../addresses.ts'
import { command, define, option } from '../declare.ts'

export const environmentSet = define(
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
