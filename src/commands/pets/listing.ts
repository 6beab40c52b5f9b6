import type { Client } from '../../client/client.ts'
import { listLimits, type PetStatus, petStatuses } from '../../model/pets.ts'
import { plural } from '../../model/quantities.ts'
import type { Pet } from '../../model/schema.ts'

/** Which pets the command line asks for. */
export interface PetSelection {
  readonly status?: PetStatus | undefined
  /** The name is exactly one of these; any name if there are none. */
  readonly name: readonly string[]
  readonly categoryId?: bigint | undefined
  readonly limit?: number | undefined
  /** It is listed again and again: a new pet beyond the limit would never appear. */
  readonly isRepeated: boolean
}

/** The pets of a selection: `pets list` prints them once, or asks for them again and again. */
export interface PetListing {
  list(): Promise<readonly Pet[]>
  /** What a list of this length may leave out; undefined if nothing. */
  limitMessage(count: number): string | undefined
}

type ListPets = Pick<Client, 'listPets'>

/** The service filters by status only: for a name or a category, the program looks through lists. */
export function isFiltered({ name, categoryId }: PetSelection): boolean {
  return name.length > 0 || categoryId !== undefined
}

export function listingOf(client: ListPets, selection: PetSelection): PetListing {
  if (isFiltered(selection)) return foundPets(client, selection)
  const { status, limit } = selection
  return {
    list: () => client.listPets({ status, limit }),
    limitMessage: (count) => listMessage(count, selection),
  }
}

const { maximum } = listLimits

function listMessage(
  count: number,
  { limit = listLimits.default, isRepeated }: PetSelection,
): string | undefined {
  if (count < limit) return undefined
  const first = `showing the first ${plural(count, 'pet')}`
  const shown = isRepeated ? `${first}; others do not appear` : first
  return count < maximum
    ? `${shown}; use --limit (up to ${maximum}) for more`
    : `${shown}; the service cannot list more`
}

/** By ascending id, each once. */
function foundPets(client: ListPets, selection: PetSelection): PetListing {
  const { status, name: names, categoryId, limit } = selection
  const isWanted = ({ name, categoryId: category }: Pet) =>
    (names.length === 0 || names.includes(name)) && (categoryId ?? category) === category
  let found: readonly Pet[] = []
  let isComplete = true
  return {
    list: async () => {
      const pets = new Map<bigint, Pet>()
      isComplete = true
      for await (const list of listsOf(client, status)) {
        if (list.length >= maximum) isComplete = false
        for (const pet of list.filter(isWanted)) pets.set(pet.id, pet)
      }
      found = [...pets.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
      return found.slice(0, limit)
    },
    limitMessage: (count) => {
      const all = found.length
      const hidden = all > count ? `showing the first ${count} of ${all} pets` : []
      const missing = isComplete ? [] : incomplete
      return [hidden, missing].flat().join('; ') || undefined
    },
  }
}

const incomplete = `more pets may match: a list has at most ${maximum} pets, and pets without a status beyond the first ${maximum} are in no list`

/**
 * The lists in which a pet can be: that of the status, or the list of all pets. The service has no
 * other filter and lists no more than a hundred pets, so a full list of all is followed by one for
 * each status.
 */
export async function* listsOf(
  client: ListPets,
  status?: PetStatus,
): AsyncGenerator<readonly Pet[]> {
  const first = await client.listPets({ status, limit: maximum })
  yield first
  if (status !== undefined || first.length < maximum) return
  for (const each of petStatuses) yield await client.listPets({ status: each, limit: maximum })
}
