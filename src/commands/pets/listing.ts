import type { Client } from '../../client/client.ts'
import { listLimits, type PetSearch, type PetStatus, petStatuses } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'
import type { PetList } from '../../output/watch/watch.ts'

/** Which pets the command line asks for. */
export interface PetSelection extends PetSearch {
  readonly name: readonly string[]
}

type ListPets = Pick<Client, 'listPets'>

const { maximum } = listLimits

/** Why a pet can be missing from every list. */
export const limitOfLists = `the service lists only the first ${maximum} pets`

/** The service filters by status only: for a name or a category, the program looks through lists. */
export function isFiltered({ name, categoryId }: PetSelection): boolean {
  return name.length > 0 || categoryId !== undefined
}

export async function findPets(client: ListPets, selection: PetSelection): Promise<PetList> {
  if (isFiltered(selection)) return searchPets(client, selection)
  const { status, limit = maximum } = selection
  const pets = await client.listPets({ status, limit })
  const isFull = pets.length >= maximum
  const notice = `showing the first ${maximum} pets; the service lists no more`
  return { pets, notice: isFull ? notice : undefined }
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
  const pets = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const doubt = pets.length === 0 ? 'cannot tell' : 'more pets may match'
  const notice = isComplete ? undefined : `${doubt}: ${limitOfLists}`
  return { pets: pets.slice(0, limit), notice }
}

/**
 * The lists in which a pet can be: that of the status, or the list of all pets, which is followed by
 * one for each status if it is full.
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
