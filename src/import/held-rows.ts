import type { Decision } from './decisions.ts'
import type { Row } from './row.ts'

/** Why a row is held, and what its pet is: `Max; pet 12 was added as Maxx`. */
export function heldMessage({ body = '{}' }: Row, { outcome, pet, petBody }: Decision): string {
  const { name, status } = JSON.parse(body)
  if (outcome === 'doubtful') return `${name}; it was sent, and its reply is not known`
  const who = pet === null ? 'a pet that is in doubt' : `pet ${pet}`
  if (outcome === 'known') return `${name}; ${who} is equal, and may be another one`
  const former = JSON.parse(petBody ?? '{}')
  const was = (text: string) => `${name}; ${who} was added ${text}`
  if (former.name !== name) return was(`as ${former.name}`)
  if (former.status !== status)
    return was(former.status ? `as ${former.status}` : 'without a status')
  return was(`in category ${former.categoryId}`)
}
