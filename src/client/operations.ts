import type * as z from 'zod/mini'
import type { Request } from '../model/exchange.ts'
import type { PetQuery } from '../model/pets.ts'
import type { NewPet } from '../model/request-schema.ts'
import { messageSchema, type Pet, petSchema, petsSchema } from '../model/schema.ts'
import { stringifyJson } from '../text/json.ts'
import { commandLine, type HintOptions, hintWord } from '../text/shell.ts'
import { type Redact, visibleLine } from '../text/visible.ts'

/**
 * One use of an operation, or a request that the user composed: what it asks of the service, and
 * what an error about it says. Hints add the environment to its commands.
 */
export interface Call<Output = unknown> {
  /** It also decides whether the call may be repeated: see `isChangingMethod`. */
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Request['headers']
  readonly body?: Request['body']
  /** The schema for the body of a success. Without one, only the user knows what the call means. */
  readonly accepts?: z.ZodMiniType<Output>
  /** Whether the service replied to this call. */
  isAnswer?(output: Output): boolean
  /** The command without its arguments: `petstore pets list`. */
  readonly command: string
  /** Completes "the service refused to" and, for a 404 about the URL, "there is no way to". */
  readonly task: string
  /** Completes "there is no": a 404 is about this, and not about the URL. */
  readonly thing?: string
  /**
   * The command that shows what there is, after a 404 about the thing or a lost reply to a change. It
   * has no text that would be masked.
   */
  find?(redact: Redact): string
}

/**
 * Every operation of the service that this program uses, as a function from its input to the call.
 * The client's functions, the texts of errors and hints come from it.
 */
export const operations = {
  listPets: (query: PetQuery) => ({
    command: 'petstore pets list',
    method: 'GET',
    path: `/pets${searchOf(query)}`,
    accepts: petsSchema,
    isAnswer: (pets: readonly Pet[]) =>
      pets.length <= (query.limit ?? pets.length) &&
      pets.every(({ status = query.status }) => status === (query.status ?? status)),
    task: 'list the pets'
  }),
  getPet: (petId: bigint) => ({
    command: 'petstore pets get',
    method: 'GET',
    path: `/pets/${petId}`,
    accepts: petSchema,
    isAnswer: ({ id }: Pet) => id === petId,
    task: `show pet ${petId}`,
    thing: `pet ${petId}`,
    find: () => 'petstore pets list'
  }),
  addPet: (pet: NewPet) => ({
    command: 'petstore pets add',
    method: 'POST',
    path: '/pets',
    body: stringifyJson(pet),
    accepts: petSchema,
    isAnswer: ({ name, categoryId }: Pet) => name === pet.name && categoryId === pet.categoryId,
    task: 'add the pet',
    find: redact => listOfNames([pet.name], redact, { '--category-id': String(pet.categoryId) })
  }),
  sendMessage: (message: string) => ({
    command: 'petstore messages send',
    method: 'POST',
    path: '/messages',
    body: stringifyJson({ message }),
    accepts: messageSchema,
    task: 'send the message'
  })
} satisfies Record<string, (input: never) => Call>

/** The defined values as the end of a path: `?status=sold&limit=5`. */
function searchOf(query: object) {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  return search.size === 0 ? '' : `?${search}`
}

/** Lists the pets with these names, for a hint; all if one of the names cannot be shown. */
export function listOfNames(
  names: readonly string[],
  redact: Redact,
  options: HintOptions
): string {
  const isShown = (name: string) => visibleLine(redact(name)) === name
  const selection = names.every(isShown) ? names.map(name => `--name=${hintWord(name)}`) : []
  return commandLine(['petstore pets list', ...selection].join(' '), { options })
}

/** A request that the user composed. */
export type CustomRequest = Pick<Call, 'method' | 'path' | 'headers' | 'body'>

/** The texts of errors about it, whose meaning only the user knows. */
export function customCall(request: CustomRequest): Call {
  const { method, path } = request
  return {
    ...request,
    command: 'petstore api',
    task: `accept this ${method} request`,
    thing: withoutQuery(path)
  }
}

export function withoutQuery(path: string): string {
  return path.replace(/\?.*/, '')
}
