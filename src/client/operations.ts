import type * as z from 'zod/mini'
import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { PetQuery, PetSearch } from '../model/pets.ts'
import {
  type Message,
  messageSchema,
  type NewPet,
  type Pet,
  petSchema,
  petsSchema
} from '../model/schema.ts'
import { type Redact, visibleLine } from '../model/visible.ts'
import { commandLine, hintWord } from '../platform/shell.ts'
import type { CustomRequest } from './custom-request.ts'
import { isChangingMethod } from './retry-policy.ts'

/** Texts about a change. */
interface ChangeText {
  /** It was made, but its reply cannot be read. */
  readonly done: string
  /** Its reply was lost. */
  readonly doubt: string
  /** The end of both: why what `find` shows may not decide. */
  readonly caveat?: string
}

/** A command without text that would be masked. */
type HintCommand = (redact: Redact) => string

/**
 * One use of an operation, or a custom request: what it asks of the service, and what an error
 * about it says. Hints add the environment to its commands.
 */
export interface Call {
  readonly service: ServiceName
  /** It also decides whether the call may be repeated: see `isChangingMethod`. */
  readonly method: string
  /** With its query. */
  readonly path: string
  /** The command without its arguments: `petstore pets list`. */
  readonly command: string
  /** The same command line again, unless it changes something. */
  readonly repeat?: HintCommand
  /** Completes "the service refused to" and, for a 404 about the URL, "there is no way to". */
  readonly task: string
  /** Completes "there is no": a 404 is about this, and not about the URL. */
  readonly thing?: string
  /** The command that shows what there is, after a 404 about the thing or a lost reply to a change. */
  readonly find?: HintCommand
  readonly change?: ChangeText | undefined
}

export interface OperationCall<Output> extends Call {
  /** Sent as JSON. */
  readonly body?: unknown
  /** The schema for the body of a success. */
  readonly accepts: z.ZodMiniType<Output>
}

interface ListInput extends PetQuery {
  /** What the list is for, if this is a part of a search: hints repeat the search. */
  readonly search?: PetSearch | undefined
}

/**
 * Every operation of the service that this program uses, as a function from its input to the call.
 * The client's functions, the texts of errors and hints come from it.
 */
export const operations = {
  listPets: ({ search, ...query }: ListInput): OperationCall<Pet[]> => ({
    command: 'petstore pets list',
    repeat: redact => listCommand(search ?? query, redact),
    service: 'pets',
    method: 'GET',
    path: `/pets${searchOf(query)}`,
    accepts: petsSchema,
    task: 'list the pets'
  }),
  getPet: (petId: bigint): OperationCall<Pet> => ({
    command: 'petstore pets get',
    repeat: () => `petstore pets get ${petId}`,
    service: 'pets',
    method: 'GET',
    path: `/pets/${petId}`,
    accepts: petSchema,
    task: `show pet ${petId}`,
    thing: `pet ${petId}`,
    find: () => 'petstore pets list'
  }),
  addPet: (pet: NewPet): OperationCall<Pet> => ({
    command: 'petstore pets add',
    service: 'pets',
    method: 'POST',
    path: '/pets',
    body: pet,
    accepts: petSchema,
    task: 'add the pet',
    find: redact => listCommand({ name: [pet.name], categoryId: pet.categoryId }, redact),
    change: {
      done: 'the pet was added',
      doubt: 'the pet may have been added',
      caveat:
        '; an older pet may have the same name, and a service that changes names or statuses shows the pet otherwise'
    }
  }),
  sendMessage: (message: string): OperationCall<Message> => ({
    command: 'petstore messages send',
    service: 'messages',
    method: 'POST',
    path: '/messages',
    body: { message },
    accepts: messageSchema,
    task: 'send the message',
    change: { done: 'the message was sent', doubt: 'the message may have been sent' }
  })
}

/** The defined values as the end of a path: `?status=sold&limit=5`. */
function searchOf(query: object): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  return search.size === 0 ? '' : `?${search}`
}

/** A longer name would make the hint useless. */
const longestShownName = 100

/** The options that select pets by name, for a hint; none if one of the names cannot be shown. */
export function nameOptions(names: readonly string[], redact: Redact): string[] {
  const isShown = (name: string) =>
    [...name].length <= longestShownName && visibleLine(redact(name)) === name
  return names.every(isShown) ? names.map(name => `--name=${hintWord(name)}`) : []
}

/** Lists these pets, with any name if a hint cannot show theirs exactly. */
function listCommand(search: PetSearch, redact: Redact): string {
  const { name = [], categoryId, status, limit } = search
  const list = ['petstore pets list', ...nameOptions(name, redact)].join(' ')
  return commandLine(list, {
    options: {
      '--category-id': categoryId?.toString(),
      '--status': status,
      '--limit': limit?.toString()
    }
  })
}

/** The call of a request whose meaning only the user knows. */
export function customCall({ service, method, path }: CustomRequest): Call {
  const change = {
    done: 'the request was carried out',
    doubt: 'the request may have been carried out'
  }
  return {
    command: 'petstore api',
    service,
    method,
    path,
    task: `accept this ${method} request`,
    thing: withoutQuery(path),
    change: isChangingMethod(method) ? change : undefined
  }
}

/** A call, and where it went: everything that an error about it says. */
export interface SentCall extends Call {
  readonly endpoint: RequestEndpoint
  readonly redact: Redact
}

export function withoutQuery(path: string): string {
  return path.replace(/\?.*/, '')
}
