import type { Client } from '../../client/client.ts'
import { listLimits, type PetQuery, type PetStatus, petStatuses } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'
import type { Context } from '../../session/context.ts'

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

export const limitOfLists = `the service lists only the first ${maximum} pets`

/** Where a notice cannot tell whether there are any, it is enough. */
export const ifEmpty = (notice: string | undefined) => (notice === undefined ? 'no pets found' : '')

/** Also with -q: without it, a list that is cut would look whole. */
export async function noticeLimit({ report }: Context, notice: string | undefined): Promise<void> {
  if (notice !== undefined) await report.notice('more', notice, { evenIfQuiet: true })
}

/**
 * The service filters by status only. For all else, the program looks through the list of the status,
 * or that of all pets, and if that is full, one for each status: by ascending id, each pet once.
 */
export async function findPets(client: Client, selection: PetSelection): Promise<PetList> {
  const { id, name, categoryId, status, limit = maximum } = selection
  const isFiltered = [id, name, categoryId].some(value => value !== undefined)
  const list = (of: PetStatus | undefined) =>
    client.listPets({ status: of, limit: isFiltered ? maximum : limit })
  const pets = await list(status)
  const isFull = pets.length >= maximum
  if (!isFiltered) {
    const notice = `showing the first ${maximum} pets; the service lists no more`
    return { pets, notice: isFull ? notice : undefined }
  }

  const lists = [pets]
  if (isFull && status === undefined) {
    for (const each of petStatuses) lists.push(await list(each))
  }
  const isWanted = (pet: Pet) =>
    (id ?? pet.id) === pet.id &&
    (categoryId ?? pet.categoryId) === pet.categoryId &&
    (name ?? [pet.name]).includes(pet.name)
  const wanted = lists.flat().filter(isWanted)
  const found = [...new Map(wanted.map(pet => [pet.id, pet])).values()]
  found.sort((one, other) => (one.id < other.id ? -1 : 1))
  const doubt = found.length === 0 ? 'cannot tell' : 'more pets may match'
  const notice = isFull ? `${doubt}: ${limitOfLists}` : undefined
  return { pets: found.slice(0, limit), notice }
}
