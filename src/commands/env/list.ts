import { shownUrl } from '../../settings/address.ts'
import { command, define } from '../declare.ts'

const environmentColumns = ['name', 'inUse', 'baseUrl', 'messagesUrl']

export const environmentList = define(
  command('list', 'list the environments and their URLs', {
    prints: 'array',
    actsOn: ['environment', 'data'],
    fields: environmentColumns,
    examples: `
      # list the environments; a mark shows the one in use
      petstore env list
      # print them as JSON
      petstore env list --json
    `
  }),
  async (_options, context) => {
    const settings = await context.settings()
    // A key pasted into a URL is masked.
    const redact = await context.report.redactor()
    const rows = settings.environments().map(({ name, isSelected, baseUrl, messagesUrl }) => ({
      name,
      inUse: isSelected,
      baseUrl: baseUrl === undefined ? null : redact(shownUrl(baseUrl.value)),
      messagesUrl: messagesUrl === undefined ? null : redact(shownUrl(messagesUrl.value))
    }))
    await context.output.list(rows, { names: environmentColumns })
  }
)
