import type * as z from 'zod/mini'
import type { ServiceName } from '../model/endpoint.ts'
import { listLimits, type PetQuery } from '../model/pets.ts'
import { messageSchema, type NewPet, petSchema, petsSchema } from '../model/schema.ts'
import { escapeActive } from '../model/visible.ts'
import { commandLine } from '../platform/shell.ts'

/** The parts of a request that come from the input. */
interface Sent {
  /** Values for the names in braces, in the path and in the texts. */
  readonly parameters?: Readonly<Record<string, bigint>>
  /** Only defined values are sent. The names are also those of the command's options. */
  readonly query?: object
  /** Sent as JSON. */
  readonly body?: unknown
}

/** Texts about a change. */
interface ChangeText {
  /** After a success. */
  readonly done: string
  /** After a lost reply. */
  readonly doubt: string
  /** Where the command that finds the result can fail. */
  readonly finding?: string
}

interface OperationFacts<Input, Output> {
  /** The command that runs it: `pets list`. */
  readonly command: string
  readonly service: ServiceName
  /** Has the names of its parameters in braces: `/pets/{petId}`. */
  readonly path: string
  readonly sends: (input: Input) => Sent
  /** The schema for the body of a success. */
  readonly accepts: z.ZodMiniType<Output>
  /** Completes "the service refused to". */
  readonly task: string
  /** The message for a 404. */
  readonly absence: string
  /** The command that shows the data of the service. */
  readonly look?: string
  /** The command that finds what the input may have changed, if there is one. */
  readonly finds?: (input: Input) => string | undefined
}

/** One operation of the service. Its method also decides whether it may be repeated: see `intentOf`. */
export type Operation<Input, Output> = OperationFacts<Input, Output> &
  (
    | { readonly method: 'GET'; readonly change?: undefined }
    | { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly change: ChangeText }
  )

/** Keeps the types of an entry. */
const operation = <Input, Output>(entry: Operation<Input, Output>) => entry

/**
 * Every operation of the service that this program uses. The client's functions, the texts of errors and hints come
 * from it.
 */
export const operations = {
  listPets: operation({
    command: 'pets list',
    service: 'pets',
    method: 'GET',
    path: '/pets',
    sends: (query: PetQuery) => ({ query }),
    accepts: petsSchema,
    task: 'list the pets',
    absence: 'there is no list of pets',
    look: 'pets list',
  }),
  getPet: operation({
    command: 'pets get',
    service: 'pets',
    method: 'GET',
    path: '/pets/{petId}',
    sends: (petId: bigint) => ({ parameters: { petId } }),
    accepts: petSchema,
    task: 'show pet {petId}',
    absence: 'there is no pet {petId}',
    look: 'pets list',
  }),
  addPet: operation({
    command: 'pets add',
    service: 'pets',
    method: 'POST',
    path: '/pets',
    sends: (body: NewPet) => ({ body }),
    accepts: petSchema,
    task: 'add the pet',
    absence: 'there is no way to add pets',
    change: {
      done: 'the pet was added',
      doubt: 'the pet may have been added',
      finding: `a list shows it if the service has at most ${listLimits.maximum} pets`,
    },
    finds: findPet,
  }),
  sendMessage: operation({
    command: 'messages send',
    service: 'messages',
    method: 'POST',
    path: '/messages',
    sends: (message: string) => ({ body: { message } }),
    accepts: messageSchema,
    task: 'accept the message',
    absence: 'there is no way to send messages',
    change: { done: 'the message was sent', doubt: 'the message may have been sent' },
  }),
}

/** A longer one would make the hint useless. */
const longestName = 100

/** The pets with this name and category. A name can have any character, and the hint may go through any shell. */
function findPet({ name, categoryId }: NewPet): string | undefined {
  if (name.length > longestName) return undefined
  const found = `.name == ${escapeActive(JSON.stringify(name))} and .categoryId == ${categoryId}`
  return commandLine('petstore pets list', {
    options: { '--limit': String(listLimits.maximum), '--jq': `map(select(${found}))` },
  })
}

/** An operation with its input, or a custom request, with the texts for its failures. */
export interface Call {
  readonly service: ServiceName
  readonly method: string
  /** Includes the query. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly task: string
  readonly absence: string
  /** Whether a 404 may be about the requested item, and not about the URL. */
  readonly isAboutOneThing: boolean
  readonly change?: ChangeText | undefined
  /** The command without its arguments, for its help page. Hints add the environment to commands. */
  readonly command: string
  /** The same command line again, unless it changes something. */
  readonly repeat?: string | undefined
  readonly look?: string | undefined
  /** The command that finds what a change may have made. */
  readonly find?: string | undefined
}

/** The call of an operation with this input. */
export function callOf<Input>(entry: Operation<Input, unknown>, input: Input): Call {
  const { parameters = {}, query = {}, body } = entry.sends(input)
  const fill = (template: string) => template.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]))
  const options = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(options.map(([name, value]): [string, string] => [name, String(value)]))
  const command = `petstore ${entry.command}`
  const typed = [...Object.values(parameters), ...options.flatMap(([name, value]) => [`--${name}`, value])]
  return {
    service: entry.service,
    method: entry.method,
    path: `${fill(entry.path)}${search.size === 0 ? '' : `?${search}`}`,
    body,
    task: fill(entry.task),
    absence: fill(entry.absence),
    isAboutOneThing: entry.path.includes('{'),
    change: entry.change,
    command,
    repeat: entry.change ? undefined : [command, ...typed].join(' '),
    look: entry.look && `petstore ${entry.look}`,
    find: entry.finds?.(input),
  }
}
