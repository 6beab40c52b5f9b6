import { Failure } from '../../failure.ts'
import { checkSettableName, savedEnvironment, setAddresses } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'
import { typedAddresses } from '../saving.ts'

export const environmentSet = define(
  command('set', 'set the URLs of an environment, and create it if needed', {
    prints: 'object',
    changes: 'machine',
    examples: `
      # set the base URL
      petstore env set staging --base-url https://HOST/v1
      # create an environment for petstore serve
      petstore env set mine --base-url http://127.0.0.1:4010/v1
    `
  })
    .argument('<environment>', 'name of the environment')
    .option('--base-url <url>', 'base URL; its path usually ends in /v1')
    .option('--messages-url <url>', 'messages URL, without /messages'),
  async (typed, context, name) => {
    checkSettableName(name)
    if (typed.baseUrl === undefined && typed.messagesUrl === undefined) {
      throw new Failure('usage', 'nothing to set: give --base-url, --messages-url or both', {
        hint: `petstore env set ${name} --base-url https://HOST/v1`
      })
    }
    const addresses = typedAddresses(await context.settings(), typed)
    const { before, after } = await context.store.change(state =>
      setAddresses(state, name, addresses)
    )
    await context.report.confirm(`saved the URLs of '${name}'`)
    const saved = savedEnvironment(after, name)
    const keyRemoved = saved.apiKey !== savedEnvironment(before, name).apiKey
    await context.output.changed({
      environment: name,
      changed: before !== after,
      baseUrl: saved.baseUrl ?? null,
      messagesUrl: saved.messagesUrl ?? null,
      keyRemoved
    })
    if (keyRemoved) {
      await context.report.notice(
        'key-removed',
        `removed the API key of '${name}', which belonged to the old URL; to log in again: petstore auth login --env ${name}`
      )
    }
  }
)
