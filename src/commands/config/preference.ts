import { preferenceNames } from '../../settings/table.ts'
import { Argument } from '../declare.ts'

/** The argument that names a setting that can be saved. */
export const preferenceArgument = new Argument('<name>', 'name of the setting').choices(
  preferenceNames
)
