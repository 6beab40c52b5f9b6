import { Failure } from '../../failure.ts'
import { type Preferences, preferenceNames, settingNames } from '../../settings/table.ts'
import { oneOf } from '../../settings/value-types.ts'
import { argument } from '../declare.ts'

/** The argument that names a setting that can be saved. */
export const preferenceArgument = () =>
  argument('<name>', 'name of the setting').choices(preferenceNames).argParser(preferenceName)

function preferenceName(text: string): keyof Preferences {
  const name = preferenceNames.find((candidate) => candidate === text)
  if (name !== undefined) return name
  const isElsewhere = settingNames.some((candidate) => candidate === text)
  const problem = isElsewhere ? `'${text}' is not saved with config` : `no setting is named '${text}'`
  throw new Failure('usage', `${problem}: use ${oneOf(preferenceNames)}`, {
    hint: 'petstore config list',
    unknownName: { name: text, known: preferenceNames },
  })
}
