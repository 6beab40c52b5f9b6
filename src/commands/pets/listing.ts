import type { Client } from '../../client/client.ts'
import type { FoundPets } from '../../client/find-pets.ts'
import { listLimits, type PetStatus } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'

/** Which pets the command line asks for. */
export interface PetSelection {
  readonly status: PetStatus | undefined
  /** The name is exactly one of these; any name if there are none. */
  readonly names: readonly string[]
  readonly categoryId: bigint | undefined
  readonly limit: number | undefined
  /** It is listed again and again: a new pet beyond the limit would never appear. */
  readonly isRepeated: boolean
}

/** The pets of a selection: `pets list` prints them once, or asks for them again and again. */
export interface PetListing {
  list(): Promise<readonly Pet[]>
  /** What a list of this length may leave out; undefined if nothing. */
  limitMessage(count: number): string | undefined
  /** What a table without rows says instead. */
  readonly ifEmpty: string
}

type ListPets = Pick<Client, 'listPets'>

/** The service filters by status only: for a name or a category, the program looks through lists. */
export function isFiltered({ names, categoryId }: PetSelection): boolean {
  return names.length > 0 || categoryId !== undefined
}

export function listingOf(client: ListPets, selection: PetSelection): PetListing {
  return isFiltered(selection) ? foundPets(client, selection) : listedPets(client, selection)
}

function listedPets(client: ListPets, selection: PetSelection): PetListing {
  const { status, limit } = selection
  return {
    list: () => client.listPets({ status, limit }),
    limitMessage: (count) => listMessage(count, selection),
    ifEmpty: status === undefined ? 'no pets' : `no pets with status '${status}'`,
  }
}

function listMessage(
  count: number,
  { limit = listLimits.default, isRepeated }: PetSelection,
): string | undefined {
  if (count < limit) return undefined
  const first = count === 1 ? 'showing the first pet' : `showing the first ${count} pets`
  const shown = isRepeated ? `${first}; others do not appear` : first
  return count < listLimits.maximum
    ? `${shown}; use --limit (up to ${listLimits.maximum}) for more`
    : `${shown}; the service cannot list more`
}

function foundPets(client: ListPets, selection: PetSelection): PetListing {
  const { status, names, categoryId, limit } = selection
  const isWanted = (pet: Pet) =>
    (names.length === 0 || names.includes(pet.name)) &&
    (categoryId === undefined || pet.categoryId === categoryId)
  let latest: FoundPets | undefined
  return {
    list: async () => {
      const { findPets } = await import('../../client/find-pets.ts')
      latest = await findPets(client.listPets, isWanted, status)
      return latest.pets.slice(0, limit)
    },
    limitMessage: (count) => {
      if (latest === undefined) return undefined
      const { isComplete, pets } = latest
      const messages: string[] = []
      if (pets.length > count) messages.push(`showing the first ${count} of ${pets.length} pets`)
      if (!isComplete) messages.push(incompleteMessage(status))
      return messages.length === 0 ? undefined : messages.join('; ')
    },
    ifEmpty: 'no pets match',
  }
}

function incompleteMessage(status: PetStatus | undefined): string {
  const { maximum } = listLimits
  return status === undefined
    ? `more pets may match: a list has at most ${maximum} pets, and pets without a status beyond the first ${maximum} are in no list`
    : `more pets may match: the list of this status has at most ${maximum} pets`
}
