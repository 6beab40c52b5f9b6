import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { nearest } from '../../platform/nearest.ts'
import { type Preferences, preferenceNames } from '../../settings/preferences.ts'
import { argument } from '../declare.ts'

/** The argument that names a preference. */
export const preferenceArgument = () =>
  argument('<name>', `one of ${preferenceNames.join(', ')}`)
    .choices(preferenceNames)
    .argParser(preferenceName)

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

/** Who changes a preference is told when that changes nothing yet. */
export async function noticeOverride({ host, notice }: Context, variables: readonly string[]): Promise<void> {
  const variable = variables.find((name) => host.env[name])
  if (variable !== undefined) await notice('overridden', `${variable} is set and beats what is kept`)
}
