import { settingNames, settingTable } from '../../src/settings/table.ts'

/** Read where they matter, and not as settings. */
const others = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'PETSTORE_CONFIG_DIR',
  'PETSTORE_JOURNAL_DIR'
]

/** The variables that are documented. */
export const variableNames = settingNames
  .flatMap((setting): readonly { readonly name: string }[] => settingTable[setting].variables ?? [])
  .map(({ name }) => name)
  .concat(others)
