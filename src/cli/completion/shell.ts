import { shellQuoted } from '../../platform/shell.ts'
import type { Place, Wanted } from './model.ts'

/** One word for what is wanted, choices behind it; bash and zsh take it apart again. */
const wantedText = (wanted: Wanted) => (wanted.kind === 'choices' ? `choices ${wanted.choices.join(' ')}` : wanted.kind)

interface Branch {
  readonly patterns: readonly string[]
  readonly body: string
}

/** A `case` with one branch for all patterns that lead to the same. */
export function caseOf(subject: string, branches: readonly Branch[], indent: string): string {
  const patternsByBody = new Map<string, string[]>()
  for (const { patterns, body } of branches) {
    if (body !== '') patternsByBody.set(body, [...(patternsByBody.get(body) ?? []), ...patterns])
  }
  if (patternsByBody.size === 0) return `${indent}:`
  const lines = [...patternsByBody].map(([body, patterns]) => `${indent}  ${patterns.join(' | ')}) ${body} ;;`)
  return [`${indent}case ${subject} in`, ...lines, `${indent}esac`].join('\n')
}

/** Which value an option takes, as branches on `COMMAND FLAG`. */
export const valueBranches = (places: readonly Place[]): Branch[] =>
  places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, wanted }) =>
      wanted === undefined
        ? []
        : [
            {
              patterns: flags.map((flag) => shellQuoted(`${path} ${flag}`)),
              body: `wanted=${shellQuoted(wantedText(wanted))}`,
            },
          ],
    ),
  )

/** What stands in a place of its own, as branches on `COMMAND POSITION`. */
export const argumentBranches = (places: readonly Place[]): Branch[] =>
  places.flatMap((place) =>
    place.arguments.map((wanted, position) => ({
      patterns: [shellQuoted(`${place.path} ${position}`)],
      body: wanted.kind === 'text' ? '' : `wanted=${shellQuoted(wantedText(wanted))}`,
    })),
  )
