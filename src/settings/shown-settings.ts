import type { Settings } from './settings.ts'
import { type Defined, type SettingName, type SettingRow, settingNames, settingTable } from './table.ts'

/** A setting as `config list` shows it: nothing in it is secret. */
export type ShownSetting = Readonly<{
  setting: string
  /** `null` if it is not set. */
  value: string | number | boolean | null
  origin: 'flag' | 'variable' | 'file' | 'default'
  /** The flag, variable or file. */
  from: string | null
}>

export const listedSettings = settingNames.filter((name) => settingTable[name].isForOneRun !== true)

/** A setting that has a wrong value is thrown as the failure that it is for what needs it. */
export async function showSetting<Name extends SettingName>(settings: Settings, name: Name): Promise<ShownSetting> {
  const row: SettingRow<Defined<Name>> = settingTable[name]
  const { value, origin } = settings.resolve(name) ?? { value: undefined, origin: { kind: 'default' } as const }
  const shown = value === undefined ? null : ((await row.shown?.(value)) ?? value)
  const from = origin.kind === 'default' ? null : origin.kind === 'file' ? origin.path : origin.name
  return { setting: name, value: shown as ShownSetting['value'], origin: origin.kind, from }
}
