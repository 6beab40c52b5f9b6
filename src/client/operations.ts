import type * as z from 'zod/mini'
import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { PetQuery } from '../model/pets.ts'
import { messageSchema, type NewPet, petSchema, petsSchema } from '../model/schema.ts'
import { visibleLine } from '../model/visible.ts'
import { commandLine, hintWord } from '../platform/shell.ts'
import type { CustomRequest } from './custom-request.ts'
import { intentOf } from './retry-policy.ts'

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
}

/** How to find what a change may have made. */
interface Finder {
  readonly command: string
  /** Why what it finds may not decide. */
  readonly limit: string
}

/** Whether a text has no secret, which would be masked. */
export type ShownExactly = (text: string) => boolean

/** What operations and custom requests have in common. */
interface CallFacts {
  readonly service: ServiceName
  readonly method: string
  /**
   * That of an operation has the names of its parameters in braces: `/pets/{petId}`. That of a call
   * has its query.
   */
  readonly path: string
  /**
   * The command without its arguments: `petstore pets list`. Hints add the environment to commands.
   */
  readonly command: string
  /** Completes "the service refused to". */
  readonly task: string
  /** The message for a 404. */
  readonly absence: string
  readonly change?: ChangeText | undefined
  /** The command that shows the data of the service. */
  readonly look?: string | undefined
}

interface OperationFacts<Input, Output> extends CallFacts {
  readonly sends: (input: Input) => Sent
  /** The schema for the body of a success. */
  readonly accepts: z.ZodMiniType<Output>
  readonly find?: (input: Input, isShownExactly: ShownExactly) => Finder
}

/**
 * One operation of the service. Its method also decides whether it may be repeated: see `intentOf`.
 */
export type Operation<Input, Output> = OperationFacts<Input, Output> &
  (
    | { readonly method: 'GET'; readonly change?: undefined }
    | { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly change: ChangeText }
  )

/** Keeps the types of an entry. */
const operation = <Input, Output>(entry: Operation<Input, Output>) => entry

/**
 * Every operation of the service that this program uses. The client's functions, the texts of
 * errors and hints come from it.
 */
export const operations = {
  listPets: operation({
    command: 'petstore pets list',
    service: 'pets',
    method: 'GET',
    path: '/pets',
    sends: (query: PetQuery) => ({ query }),
    accepts: petsSchema,
    task: 'list the pets',
    absence: 'there is no list of pets',
    look: 'petstore pets list',
  }),
  getPet: operation({
    command: 'petstore pets get',
    service: 'pets',
    method: 'GET',
    path: '/pets/{petId}',
    sends: (petId: bigint) => ({ parameters: { petId } }),
    accepts: petSchema,
    task: 'show pet {petId}',
    absence: 'there is no pet {petId}',
    look: 'petstore pets list',
  }),
  addPet: operation({
    command: 'petstore pets add',
    service: 'pets',
    method: 'POST',
    path: '/pets',
    sends: (body: NewPet) => ({ body }),
    accepts: petSchema,
    task: 'add the pet',
    absence: 'there is no way to add pets',
    change: { done: 'the pet was added', doubt: 'the pet may have been added' },
    find: findPet,
  }),
  sendMessage: operation({
    command: 'petstore messages send',
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

/** A longer name would make the hint useless. */
const longestShownName = 100

/** The options that select pets by name, for a hint; none if one of the names cannot be shown. */
export function nameOptions(names: readonly string[], isShownExactly: ShownExactly): string[] {
  const isShown = (name: string) =>
    [...name].length <= longestShownName && visibleLine(name) === name && isShownExactly(name)
  return names.every(isShown) ? names.map((name) => `--name=${hintWord(name)}`) : []
}

/** The pets with this category and, if a hint can show it exactly, this name. */
function findPet({ name, categoryId }: NewPet, isShownExactly: ShownExactly): Finder {
  const list = ['petstore pets list', ...nameOptions([name], isShownExactly)].join(' ')
  return {
    command: commandLine(list, { options: { '--category-id': String(categoryId) } }),
    limit:
      'an older pet may have the same name, and a service that changes names or statuses shows the pet otherwise',
  }
}

/** The part of a call that its request needs: everything else is for failures. */
export function pathAndBodyOf<Input>(
  entry: Operation<Input, unknown>,
  input: Input,
): { path: string; body: unknown } {
  const sent = entry.sends(input)
  return { path: pathOf(entry, sent), body: sent.body }
}

function pathOf({ path }: Pick<CallFacts, 'path'>, { parameters, query = {} }: Sent): string {
  const search = new URLSearchParams()
  for (const [name, value] of definedIn(query)) search.append(name, String(value))
  const question = search.size === 0 ? '' : `?${search}`
  return `${filled(path, parameters)}${question}`
}

/** The template with values for the names in braces. */
function filled(template: string, parameters: Sent['parameters']): string {
  return parameters
    ? template.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]))
    : template
}

const definedIn = (query: object): [name: string, value: unknown][] =>
  Object.entries(query).filter(([, value]) => value !== undefined)

/**
 * One use of an operation, or a custom request: where it goes, and everything that an error about
 * it says.
 */
export interface Call extends CallFacts {
  readonly endpoint: RequestEndpoint
  /** Whether a 404 may be about the requested item, and not about the URL. */
  readonly isAboutOneThing: boolean
  /** The same command line again, unless it changes something. */
  readonly repeat?: string | undefined
  readonly find?: Finder | undefined
}

/** The call of an operation with this input. */
export function callOf<Input>(
  entry: Operation<Input, unknown>,
  input: Input,
  endpoint: RequestEndpoint,
  isShownExactly: ShownExactly = () => true,
): Call {
  const { service, method, command, change, look } = entry
  const sent = entry.sends(input)
  const { parameters, query = {} } = sent
  const typed = [
    ...Object.values(parameters ?? {}),
    ...definedIn(query).flatMap(([name, value]) => [`--${name}`, value]),
  ]
  return {
    service,
    method,
    command,
    change,
    look,
    endpoint,
    path: pathOf(entry, sent),
    task: filled(entry.task, parameters),
    absence: filled(entry.absence, parameters),
    isAboutOneThing: entry.path.includes('{'),
    repeat: change ? undefined : [command, ...typed].join(' '),
    find: entry.find?.(input, isShownExactly),
  }
}

/** The call of a request whose meaning only the user knows. */
export function customCall(
  { service, method, path }: CustomRequest,
  endpoint: RequestEndpoint,
): Call {
  const change = {
    done: 'the request was carried out',
    doubt: 'the request may have been carried out',
  }
  return {
    service,
    method,
    path,
    endpoint,
    task: `accept this ${method} request`,
    absence: `there is no ${withoutQuery(path)}`,
    isAboutOneThing: true,
    command: 'petstore api',
    change: intentOf(method) === 'change' ? change : undefined,
  }
}

export function withoutQuery(path: string): string {
  return path.replace(/\?.*$/, '')
}
