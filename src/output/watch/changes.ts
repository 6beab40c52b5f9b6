import { stringifyJson } from '../../model/json.ts'
import type { Pet } from '../../model/pets.ts'

/** What became of one animal between two looks at the list. */
export type Change =
  | { readonly kind: 'added' | 'gone'; readonly pet: Pet }
  | { readonly kind: 'changed'; readonly pet: Pet; readonly was: Pet }

/** In the order of the new list, and after it what is gone from the old one. */
export function changesBetween(before: readonly Pet[], after: readonly Pet[]): Change[] {
  const known = new Map(before.map((pet) => [pet.id, pet]))
  const present = new Set(after.map(({ id }) => id))
  const news = after.flatMap((pet): Change[] => {
    const was = known.get(pet.id)
    if (was === undefined) return [{ kind: 'added', pet }]
    return isSame(was, pet) ? [] : [{ kind: 'changed', pet, was }]
  })
  const gone = before.filter(({ id }) => !present.has(id)).map((pet): Change => ({ kind: 'gone', pet }))
  return [...news, ...gone]
}

/** Whether two animals say the same, in whatever order they say it. */
function isSame(one: Pet, other: Pet): boolean {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...fields].every((field) => textOf(one[field]) === textOf(other[field]))
}

const textOf = (value: unknown) => (value === undefined ? undefined : stringifyJson(value))
