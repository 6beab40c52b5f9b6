import type { Resolved } from '../../settings/setting-row.ts'
import { withoutLogin } from '../../text/typed-secrets.ts'
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
      # print them as JSON
      petstore env list --json
    `
  }).alias('ls'),
  async (_options, { settings, output, report }) => {
    // A key pasted into a URL is masked.
    const shown = (url: Resolved<string> | undefined) =>
      url ? report.redact(withoutLogin(url.value)) : null
    const rows = settings
      .environments()
      .map(({ name, isSelected, baseUrl, messagesUrl, ...marks }) => ({
        name,
        inUse: isSelected,
        baseUrl: shown(baseUrl),
        messagesUrl: shown(messagesUrl),
        readOnly: marks.readOnlyReason !== undefined,
        idempotent: marks.isIdempotent
      }))
    await output.list(rows, environmentColumns)
  }
)
