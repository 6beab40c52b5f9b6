/** The statuses that the service describes; a reply may have others, which stay as they are. */
export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** The range of the service's integers: int64. */
export const int64Limits = {
  minimum: -(2n ** 63n),
  maximum: 2n ** 63n - 1n
}

/** A name without such a character is blank. A function, because properties of Unicode load slowly. */
export const visibleCharacter = () => /[^\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** How many pets a list may be limited to, and how many the service returns without a limit. */
export const listLimits = {
  minimum: 1,
  maximum: 100,
  default: 20
}

/** Which pets the service lists. */
export interface PetQuery {
  readonly status?: PetStatus | undefined
  readonly limit?: number | undefined
}
