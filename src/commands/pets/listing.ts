import type { Client } from '../../client/client.ts'
import { listLimits, type PetQuery, type PetStatus, petStatuses } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'

/** Which pets the command line asks for. */
interface PetSelection extends PetQuery {
  readonly id?: bigint
  /** The name is exactly one of these. */
  readonly name?: readonly string[] | undefined
  readonly categoryId?: bigint | undefined
}

/** A list, and the notice that it may leave pets out. */
export interface PetList {
  readonly pets: readonly Pet[]
  readonly notice: string | undefined
}

const { maximum } = listLimits

/** The service filters by status only: for all else, the program looks through lists. */
export async function findPets(client: Client, selection: PetSelection): Promise<PetList> {
  const { id, name, categoryId, status, limit = maximum } = selection
  const isFiltered = [id, name, categoryId].some(value => value !== undefined)
  if (isFiltered) return searchPets(client, selection)
  const pets = await client.listPets({ status, limit })
  const isFull = pets.length >= maximum
  const notice = `showing the first ${maximum} pets; the service lists no more`
  return { pets, notice: isFull ? notice : undefined }
}

/** By ascending id, each once. */
async function searchPets(client: Client, selection: PetSelection): Promise<PetList> {
  const found = new Map<bigint, Pet>()
  let isComplete = true
  for await (const list of listsOf(client, selection.status)) {
    if (list.length >= maximum) isComplete = false
    for (const pet of list) {
      if (isWanted(pet, selection)) found.set(pet.id, pet)
    }
  }
  const pets = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const doubt = pets.length === 0 ? 'cannot tell' : 'more pets may match'
  return {
    pets: pets.slice(0, selection.limit),
    notice: isComplete ? undefined : `${doubt}: the service lists only the first ${maximum} pets`
  }
}

function isWanted(pet: Pet, selection: PetSelection): boolean {
  const { id = pet.id, name: names = [pet.name], categoryId = pet.categoryId } = selection
  return id === pet.id && names.includes(pet.name) && categoryId === pet.categoryId
}

/**
 * The lists in which a pet can be: that of the status, or the list of all pets, which is followed by
 * one for each status if it is full.
 */
async function* listsOf(client: Client, status?: PetStatus) {
  const first = await client.listPets({ status, limit: maximum })
  yield first
  if (status !== undefined || first.length < maximum) return
  for (const each of petStatuses) {
    yield await client.listPets({ status: each, limit: maximum })
  }
}
