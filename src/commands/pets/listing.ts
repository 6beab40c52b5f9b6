import type { Client } from '../../client/client.ts'
import { listLimits, type PetSearch, type PetStatus, petStatuses } from '../../model/pets.ts'
import { plural } from '../../model/quantities.ts'
import type { Pet } from '../../model/schema.ts'
import type { PetList } from '../../output/watch/watch.ts'

/** Which pets the command line asks for. */
export interface PetSelection extends PetSearch {
  readonly name: readonly string[]
  /** It is listed again and again: a new pet beyond the limit would never appear. */
  readonly isRepeated: boolean
}

type ListPets = Pick<Client, 'listPets'>

/** The service filters by status only: for a name or a category, the program looks through lists. */
export function isFiltered({ name, categoryId }: PetSelection): boolean {
  return name.length > 0 || categoryId !== undefined
}

export async function findPets(client: ListPets, selection: PetSelection): Promise<PetList> {
  if (isFiltered(selection)) return searchPets(client, selection)
  const { status, limit } = selection
  const pets = await client.listPets({ status, limit })
  return { pets, limit: limitMessage(pets.length, selection) }
}

const { maximum } = listLimits

function limitMessage(
  count: number,
  { limit = listLimits.default, isRepeated }: PetSelection
): string | undefined {
  if (count < limit) return undefined
  const first = `showing the first ${count === 1 ? 'pet' : plural(count, 'pet')}`
  const shown = isRepeated ? `${first}; others do not appear` : first
  return count < maximum
    ? `${shown}; use --limit (up to ${maximum}) for more`
    : `${shown}; the service cannot list more`
}

/** By ascending id, each once. */
async function searchPets(client: ListPets, selection: PetSelection): Promise<PetList> {
  const { name: names, categoryId, limit } = selection
  const isWanted = ({ name, categoryId: category }: Pet) =>
    (names.length === 0 || names.includes(name)) && (categoryId ?? category) === category
  const found = new Map<bigint, Pet>()
  let isComplete = true
  for await (const list of listsOf(client, selection)) {
    if (list.length >= maximum) isComplete = false
    for (const pet of list.filter(isWanted)) found.set(pet.id, pet)
  }
  const all = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const pets = all.slice(0, limit)
  const hidden =
    pets.length < all.length ? `showing the first ${pets.length} of ${all.length} pets` : []
  const missing = isComplete ? [] : incomplete
  return { pets, limit: [hidden, missing].flat().join('; ') || undefined }
}

const incomplete = `more pets may match: a list has at most ${maximum} pets, and pets without a status beyond the first ${maximum} are in no list`

/**
 * The lists in which a pet can be: that of the status, or the list of all pets. The service has no
 * other filter and lists no more than a hundred pets, so a full list of all is followed by one for
 * each status.
 */
export async function* listsOf(
  client: ListPets,
  search?: PetSearch
): AsyncGenerator<readonly Pet[]> {
  const list = (status?: PetStatus) => client.listPets({ status, limit: maximum })
  const first = await list(search?.status)
  yield first
  if (search?.status !== undefined || first.length < maximum) return
  for (const each of petStatuses) yield await list(each)
}
