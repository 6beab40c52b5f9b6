import { withoutUserInfo } from '../../settings/address.ts'
import { command, define } from '../declare.ts'

const columns = ['name', 'inUse', 'baseUrl', 'messagesUrl']

export const environmentList = () =>
  define(
    command('list', 'the environments and their addresses', {
      actsOn: ['environment', 'data'],
      fields: columns,
      examples: [
        ['petstore env list', 'which environments there are, and which is in use'],
        ['petstore env list --json', 'the same for a program'],
      ],
    }),
    async (_options, context) => {
      const settings = await context.settings()
      const rows = settings.environments().map(({ name, isSelected, baseUrl, messagesUrl }) => ({
        name,
        inUse: isSelected,
        baseUrl: baseUrl === undefined ? null : withoutUserInfo(baseUrl.value),
        messagesUrl: messagesUrl === undefined ? null : withoutUserInfo(messagesUrl.value),
      }))
      await context.output.list(rows, columns)
    },
  )
