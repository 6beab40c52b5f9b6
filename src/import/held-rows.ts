import type { Decision } from './decisions.ts'
import type { Row } from './row.ts'

/** Why a row is held, and what its pet is: `Max; pet 12 was added as Maxx`. */
export function heldMessage({ body = '' }: Row, { outcome, pet, petBody }: Decision): string {
  const { name, status } = JSON.parse(body)
  const who = pet === null ? 'a pet whose id is not known' : `pet ${pet}`
  if (outcome === 'doubtful') return `${name}; it was sent, and its reply is not known`
  if (outcome === 'known') return `${name}; equals ${who}, but most pets of the last input are gone`
  const former = JSON.parse(petBody ?? '{}')
  const how =
    former.name !== name
      ? `as ${former.name}`
      : former.status === status
        ? `in category ${/"categoryId":(-?\d+)/.exec(petBody ?? '')?.[1]}`
        : former.status === undefined
          ? 'without a status'
          : `as ${former.status}`
  if (pet === null) return `${name}; it was sent ${how}, and its reply is not known`
  return `${name}; ${who} was added ${how}`
}
