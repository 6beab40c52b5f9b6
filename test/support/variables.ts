import { variableNames as ownVariables } from '../../src/settings/table.ts'

/** The variables that are documented. */
export const variableNames = [
  ...ownVariables,
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA'
]
