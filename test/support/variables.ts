import { settingNames, settingTable } from '../../src/settings/table.ts'

/** The variables that are documented: not those of other programs that are read too. */
export const variableNames = settingNames
  .flatMap((setting): readonly { readonly name: string }[] => settingTable[setting].variables ?? [])
  .map(({ name }) => name)
  .filter(name => /^[A-Z]/.test(name) && name !== 'XDG_CONFIG_HOME')
