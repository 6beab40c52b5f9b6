import type { Failure } from '../failure.ts'
import { longDate } from '../model/quantities.ts'
import type { PetDatabase } from './database.ts'
import {
  type Around,
  bodyAs,
  checked,
  errorReply,
  headerOf,
  jsonReply,
  Refusal,
  type ServiceReply,
  type ServiceRequest
} from './http.ts'
import { keepReply, oneAtATime, replyBefore } from './idempotency.ts'
import { type LocalTools, type Operation, type Route, routes, schemas } from './routes.ts'
import type { Tables } from './tables.ts'

interface Service extends Omit<LocalTools, 'describe'> {
  readonly database: PetDatabase
  acceptsKey(key: string): boolean
  now(): Date
  /** Receives a Failure of the database. It becomes a 500 unless this function throws it again. */
  readonly onFailure?: (failure: Failure) => void
  /** Makes the operations slow or faulty. */
  readonly misbehave?: Around
}

/** The service as a function from a request to a reply. */
export function createHandler(service: Service) {
  const { onFailure, misbehave = (_, answer) => answer() } = service
  const alone = oneAtATime()

  /** Anything that the work throws becomes an Error body. */
  const replyFrom = async (work: () => Promise<ServiceReply>): Promise<ServiceReply> => {
    try {
      return await work()
    } catch (error) {
      return errorReply(error, onFailure)
    }
  }
  const operate = async (operation: Operation, texts: Texts, request: ServiceRequest) => {
    const answer = () => replyFrom(() => answerOperation(service, operation, texts, request))
    const reply = await alone(request, () => misbehave(request, answer))
    return { ...reply, headers: { ...reply.headers, ...deprecationHeaders(operation) } }
  }

  return async (request: ServiceRequest): Promise<ServiceReply> => {
    const reply = await replyFrom(async () => {
      const target = targetOf(request.url)
      if (!target.isOpen) requireKey(service, request)
      const route = requireRoute(target, request.method)
      return 'answer' in route
        ? route.answer({ ...service, describe })
        : operate(route, target.texts, request)
    })
    return request.method === 'HEAD' ? { ...reply, body: new Uint8Array() } : reply
  }
}

/** Loaded on request: it is rarely needed, and making the schemas takes time. */
const describe = async () => (await import('./openapi.ts')).openApiDocument()

/** A pattern for each path of a route, in which `{petId}` matches any part that is not empty. */
const patterns = new Map(routes.map(({ path }) => [path, patternOf(path)]))

function patternOf(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`)
}

type Texts = Readonly<Record<string, string>>

/** What is at the path of a request, and the parameters in its path and in its query. */
function targetOf(address: string) {
  try {
    const { pathname, searchParams } = new URL(address, 'http://local')
    const [found, pattern] = [...patterns].find(([, each]) => each.test(pathname)) ?? []
    const groups = Object.entries(pattern?.exec(pathname)?.groups ?? {})
    // After the match, so that an escaped slash stays inside its part.
    const inPath = groups.map(([name, text]) => [name, decodeURIComponent(text)])
    const texts: Texts = Object.fromEntries([...searchParams, ...inPath])
    const here = routes.filter(({ path }) => path === found)
    const isOpen = here.some(route => 'answer' in route && !route.needsKey)
    return { routes: here, texts, isOpen }
  } catch {
    // It is not a URL, or a percent sign in it encodes no character.
    return { routes: [], texts: {}, isOpen: false }
  }
}

function requireKey({ acceptsKey }: Service, { headers }: ServiceRequest): void {
  const key = /^Bearer +(\S+) *$/i.exec(headerOf(headers, 'authorization'))?.[1]
  if (key !== undefined && acceptsKey(key)) return
  const message = key === undefined ? 'the API key is missing' : 'the API key is not valid'
  throw new Refusal(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' })
}

function requireRoute({ routes }: ReturnType<typeof targetOf>, method: string): Route {
  if (routes.length === 0) throw new Refusal(404, 'not_found', 'there is nothing at this path')

  const answering = method === 'HEAD' ? 'GET' : method
  const found = routes.find(route => route.method === answering)
  if (found !== undefined) return found
  const allowed = routes.map(route => (route.method === 'GET' ? 'GET, HEAD' : route.method))
  throw new Refusal(405, 'method_not_allowed', `the method ${method} is not allowed here`, {
    allow: allowed.join(', ')
  })
}

async function answerOperation(
  { database, now }: Service,
  operation: Operation,
  texts: Texts,
  request: ServiceRequest
): Promise<ServiceReply> {
  refuseRemoved(operation, now())
  const parameters = operation.parameters ? checked(operation.parameters, texts) : {}
  const run = (tables: Tables, body?: unknown) => {
    const value = operation.handler({ parameters, body, tables, now })
    if (value === undefined && operation.absence !== undefined)
      throw new Refusal(404, 'not_found', operation.absence(parameters))
    return jsonReply(operation.reply?.status ?? 200, value)
  }
  if (operation.body === undefined) return database.remember(request.url, run)

  const before = await database.read(tables => replyBefore(tables, request))
  if (before !== undefined) return before
  const body = bodyAs(schemas[operation.body], request)
  return database.write(
    // Another program may have answered it since.
    tables => replyBefore(tables, request) ?? keepReply(tables, request, run(tables, body))
  )
}

function refuseRemoved({ method, path, deprecation }: Operation, now: Date): void {
  if (deprecation === undefined || now < deprecation.removal) return
  const day = longDate(deprecation.removal)
  throw new Refusal(
    410,
    'gone',
    `${method} ${path} was removed on ${day}; use ${method} ${deprecation.successor} instead`
  )
}

function deprecationHeaders({ deprecation }: Operation): ServiceReply['headers'] {
  if (deprecation === undefined) return {}
  const { since, removal, successor } = deprecation
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: removal.toUTCString(),
    link: `<${successor}>; rel="successor-version"`
  }
}
