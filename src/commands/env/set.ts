import { Failure } from '../../failure.ts'
import { checkAddress } from '../../settings/address.ts'
import { setAddresses } from '../../settings/environments.ts'
import { noticeUnusualUrl } from '../base-url.ts'
import { argument, command, define, option } from '../declare.ts'

export const environmentSet = () =>
  define(
    command('set', "set an environment's addresses, and make it where there is none", {
      examples: [
        ['petstore env set staging --base-url https://HOST/v1', 'where the animals are'],
        [
          'petstore env set mine --base-url http://127.0.0.1:4010/v1 --messages-url http://127.0.0.1:4010',
          'an environment of your own',
        ],
      ],
    })
      .addArgument(argument('<environment>', 'its name'))
      .addOption(option('--base-url <url>', 'the base address; its path ends in /v1 by the description of the service'))
      .addOption(option('--messages-url <url>', 'the address that messages are sent to')),
    async ({ baseUrl, messagesUrl }, context, name) => {
      if (baseUrl === undefined && messagesUrl === undefined) {
        throw new Failure('usage', 'nothing to set: give --base-url, --messages-url or both', {
          hint: 'petstore env set --help',
        })
      }
      const { env } = context.host
      const checked = (address: string | undefined, source: string) =>
        address === undefined ? undefined : checkAddress(address, { source, malformed: 'usage', env })
      const addresses = {
        baseUrl: checked(baseUrl, '--base-url'),
        messagesUrl: checked(messagesUrl, '--messages-url'),
      }

      await noticeUnusualUrl(context, addresses.baseUrl)
      let isKeyRemoved = false
      await context.store.change((state) => {
        const change = setAddresses(state, name, addresses)
        isKeyRemoved = change.isKeyRemoved
        return change.state
      })
      await context.confirm(`saved the URLs of '${name}'`)
      if (isKeyRemoved) {
        await context.notice(
          'key-removed',
          `removed the API key of '${name}', which belonged to the old URL; to log in again: petstore auth login --env ${name}`,
        )
      }
    },
  )
