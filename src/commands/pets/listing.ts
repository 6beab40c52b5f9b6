import type { Client } from '../../client/client.ts'
import { listLimits, type PetQuery, type PetStatus, petStatuses } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'
import type { PetList } from '../../output/watch.ts'
import type { Context } from '../../session/context.ts'

/** Which pets the command line asks for. */
interface PetSelection extends PetQuery {
  readonly id?: bigint
  /** The name is exactly one of these. */
  readonly name?: readonly string[] | undefined
  readonly categoryId?: bigint | undefined
}

const { maximum } = listLimits

export const limitOfLists = `the service lists only the first ${maximum} pets`

/** Where a notice cannot tell whether there are any, it is enough. */
export function ifEmpty(notice: string | undefined): string {
  return notice === undefined ? 'no pets found' : ''
}

/** Also with -q: without it, a list that is cut would look whole. */
export async function noticeLimit({ report }: Context, notice: string | undefined): Promise<void> {
  if (notice !== undefined) await report.notice('more', notice, { evenIfQuiet: true })
}

/** The service filters by status only: for all else, the program looks through lists. */
export async function findPets(client: Client, selection: PetSelection): Promise<PetList> {
  const { id, name, categoryId, status, limit } = selection
  const isFiltered = [id, name, categoryId].some(value => value !== undefined)
  if (isFiltered) return searchPets(client, selection)
  const pets = await client.listPets({ status, limit: limit ?? maximum })
  const isFull = pets.length >= maximum
  const notice = `showing the first ${maximum} pets; the service lists no more`
  return { pets, notice: isFull ? notice : undefined }
}

/**
 * Looks in the list of the status, or in that of all pets; if that is full, also in one for each
 * status. By ascending id, each once.
 */
async function searchPets(client: Client, { status, limit, ...wanted }: PetSelection) {
  const found = new Map<bigint, Pet>()
  const look = async (status?: PetStatus) => {
    const pets = await client.listPets({ status, limit: maximum })
    for (const pet of pets) {
      if (isWanted(pet, wanted)) found.set(pet.id, pet)
    }
    return pets.length >= maximum
  }
  const isFull = await look(status)
  if (isFull && status === undefined) {
    for (const each of petStatuses) await look(each)
  }
  const pets = [...found.values()]
  pets.sort((one, other) => (one.id < other.id ? -1 : 1))
  const doubt = pets.length === 0 ? 'cannot tell' : 'more pets may match'
  return {
    pets: pets.slice(0, limit),
    notice: isFull ? `${doubt}: ${limitOfLists}` : undefined
  }
}

/** Where nothing is asked for, each pet is what is wanted. */
function isWanted(pet: Pet, wanted: PetSelection) {
  const { id = pet.id, name = [pet.name], categoryId = pet.categoryId } = wanted
  const isThis = id === pet.id && categoryId === pet.categoryId
  return isThis && name.includes(pet.name)
}
