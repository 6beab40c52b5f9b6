import { listLimits, type PetQuery, type PetStatus, petStatuses } from '../model/pets.ts'
import type { Pet } from '../model/schema.ts'

type PetLister = (query: PetQuery) => Promise<readonly Pet[]>

/** Some of the pets of the service, by ascending id. */
export interface FoundPets {
  readonly pets: readonly Pet[]
  /** Whether the lists had every pet of the service, or of the status. */
  readonly isComplete: boolean
}

const { maximum } = listLimits

/**
 * The lists in which a pet can be: that of the status, or the list of all pets. The service has no
 * other filter and lists no more than a hundred pets, so a full list of all is followed by one for
 * each status.
 */
export async function* listsOf(
  listPets: PetLister,
  status?: PetStatus,
): AsyncGenerator<readonly Pet[]> {
  const first = await listPets({ status, limit: maximum })
  yield first
  if (status !== undefined || first.length < maximum) return
  for (const each of petStatuses) yield await listPets({ status: each, limit: maximum })
}

/** Looks through the lists for pets that the service cannot select. */
export async function findPets(
  listPets: PetLister,
  isWanted: (pet: Pet) => boolean,
  status?: PetStatus,
): Promise<FoundPets> {
  const found = new Map<Pet['id'], Pet>()
  let lists = 0
  let isFull = false
  for await (const pets of listsOf(listPets, status)) {
    lists += 1
    isFull ||= pets.length >= maximum
    for (const pet of pets.filter(isWanted)) found.set(pet.id, pet)
  }
  const pets = [...found.values()]
  pets.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { pets, isComplete: lists === 1 && !isFull }
}
