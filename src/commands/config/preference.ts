import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { variableOf } from '../../settings/origin.ts'
import { type Preferences, preferenceNames } from '../../settings/table.ts'
import { argument } from '../declare.ts'
import { nearest } from '../nearest.ts'

/** The argument that names a setting that can be saved. */
export const preferenceArgument = () =>
  argument('<name>', 'name of the setting').choices(preferenceNames).argParser(preferenceName)

function preferenceName(text: string): keyof Preferences {
  const name = preferenceNames.find((candidate) => candidate === text)
  if (name !== undefined) return name
  const meant = nearest(text, preferenceNames)
  throw new Failure(
    'usage',
    `there is no preference '${text}'${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    {
      hint: meant === undefined ? 'petstore config list' : `petstore config get ${meant}`,
    },
  )
}

/** Says so if a variable still decides what was changed. */
export async function noticeOverride({ settings, notice }: Context, name: keyof Preferences): Promise<void> {
  const variable = variableOf((await settings()).resolve(name)?.origin)
  if (variable !== undefined) await notice('overridden', `${variable} is set and overrides the saved value`)
}
