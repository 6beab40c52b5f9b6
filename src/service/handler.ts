import { Failure } from '../failure.ts'
import type { Reply, Request } from '../model/exchange.ts'
import type { PetDatabase } from './database.ts'
import { createGroupCommit } from './group-commit.ts'
import { createLister } from './lists.ts'
import { addPet, type Call, describe, health, listOrders, listPets, type Operation, sendMessage } from './operations.ts'
import { getPet } from './pet-by-id.ts'
import { keyOf, pathOf } from './reading.ts'
import { invalid, Refusal, replyOf } from './replies.ts'

interface Service {
  database: PetDatabase
  acceptsKey(key: string): boolean
  now(): Date
  /** For who is in the same program, and better served with a Failure of the database than with a 500. */
  throwsFailures?: boolean
}

/** The service with what its operations work with. */
type Workshop = Service & Pick<Call, 'commit' | 'list' | 'isPassedOn'>

export type Handler = (request: Request) => Promise<Reply>

/** Everything that the service answers to. HEAD goes wherever GET goes. */
const routes: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/health': { GET: health },
  '/v1/pets': { GET: listPets, POST: addPet },
  '/v1/pets/{petId}': { GET: getPet },
  '/v1/store/orders': { GET: listOrders },
  '/v1/openapi.json': { GET: describe },
  '/messages': { POST: sendMessage },
}

/** The described interface as a function: a request in, a reply out, whatever happens unless it is to throw. */
export function createHandler(service: Service): Handler {
  const { database, throwsFailures = false } = service
  const isPassedOn = (error: unknown) => throwsFailures && error instanceof Failure
  const workshop = { ...service, commit: createGroupCommit(database), list: createLister(database), isPassedOn }
  return async (request) => {
    const reply = await replyOf(() => answer(workshop, request), isPassedOn)
    return request.method === 'HEAD' ? { ...reply, body: new Uint8Array() } : reply
  }
}

function answer(service: Workshop, request: Request): Reply | Promise<Reply> {
  const url = parse(request.url)
  if (url?.pathname !== '/health') checkKey(service, request)
  if (url === undefined) throw invalid('the address is not a URL')

  const path = pathOf(url)
  const [pattern, methods] = Object.entries(routes).find(([candidate]) => isAt(path, candidate)) ?? []
  if (pattern === undefined || methods === undefined) throw new Refusal(404, 'not_found', 'there is nothing here')

  const operation = operationFor(request.method, methods)
  return operation({ ...service, request, query: url.searchParams, lastPart: path.at(-1) ?? '' })
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

function checkKey({ acceptsKey }: Service, request: Request): void {
  const key = keyOf(request)
  if (key === undefined || !acceptsKey(key)) {
    const message = key === undefined ? 'the API key is missing' : 'the API key is not valid'
    throw new Refusal(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' })
  }
}

/** Whether a path is what a pattern describes; `{petId}` stands for anything but nothing. */
function isAt(path: readonly string[], pattern: string): boolean {
  const parts = pattern.slice(1).split('/')
  return (
    parts.length === path.length && parts.every((part, i) => (part.startsWith('{') ? path[i] !== '' : part === path[i]))
  )
}

function operationFor(method: string, methods: Readonly<Record<string, Operation>>): Operation {
  const wanted = method === 'HEAD' ? 'GET' : method
  const operation = Object.hasOwn(methods, wanted) ? methods[wanted] : undefined
  if (operation === undefined) {
    const allowed = Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    throw new Refusal(405, 'method_not_allowed', `${method} is not possible here`, { allow: allowed.join(', ') })
  }
  return operation
}
