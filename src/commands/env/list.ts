import { shownUrl } from '../addresses.ts'
import { command, define } from '../declare.ts'

const environmentColumns = {
  names: ['name', 'inUse', 'baseUrl', 'messagesUrl', 'readOnly', 'idempotent']
}

export const environmentList = define(
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
    const rows = context.settings
      .environments()
      .map(({ name, isSelected, baseUrl, messagesUrl, ...marks }) => ({
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
