/** The states of an animal that the service describes; a reply may hold others, which are passed on as they are. */
export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** The smallest and the largest integer of the wire: int64. */
export const int64Limits = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n } as const

/** How many animals a list holds at least, at most, and where nothing is asked. */
export const listLimits = { minimum: 1, maximum: 100, unasked: 20 } as const

/** The day on which `GET /pets/{petId}` is removed. */
export const petByIdRemoval = new Date('2030-12-05T00:00:00Z')

export interface NewPet {
  name: string
  categoryId: bigint
  status?: PetStatus | undefined
}

/** An animal as it came, with whatever a later service adds to it. */
export interface Pet {
  id: bigint
  name: string
  categoryId: bigint
  status?: string | undefined
  [unknownField: string]: unknown
}

export interface Message {
  id: string
  message: string
  status: string
  createdAt: string
  [unknownField: string]: unknown
}

export interface ServiceError {
  code: string
  message: string
  status: number
}

/** What `GET /pets` can be asked. */
export interface PetQuery {
  status?: PetStatus | undefined
  limit?: number | undefined
}
