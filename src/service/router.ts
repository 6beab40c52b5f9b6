import type { Failure } from '../failure.ts'
import { longDate } from '../model/quantities.ts'
import type { PetDatabase } from './database.ts'
import {
  bodyAs,
  checked,
  errorReply,
  jsonReply,
  Refusal,
  type ServiceReply,
  type ServiceRequest
} from './http.ts'
import type { injectFaults } from './misbehavior.ts'
import { type Route, routes, schemas } from './routes.ts'

interface Service {
  readonly database: PetDatabase
  acceptsKey(key: string): boolean
  now(): Date
  /** Receives a Failure of the database. It becomes a 500 unless this function throws it again. */
  readonly onFailure?: (failure: Failure) => void
  /** Called for each request with a valid key, before it is answered. */
  readonly intercept?: ReturnType<typeof injectFaults>
}

/** The service as a function from a request to a reply. */
export function createHandler(service: Service) {
  const { onFailure, intercept = (_, answer) => answer() } = service

  /** Anything that the work throws becomes an Error body. */
  const replyFrom = async (work: () => Promise<ServiceReply>): Promise<ServiceReply> => {
    try {
      return await work()
    } catch (error) {
      return errorReply(error, onFailure)
    }
  }

  return async (request: ServiceRequest): Promise<ServiceReply> => {
    const target = targetOf(request.url)
    const answer = () => replyFrom(() => answerRoute(service, target, request))
    const isOpen = target.routes.some(({ needsKey }) => needsKey === false)
    const reply = await replyFrom(async () => {
      if (isOpen) return answer()
      requireKey(service, request)
      return intercept(request, answer)
    })
    const headers = { ...reply.headers, ...deprecationHeaders(routeOf(target, request.method)) }
    const body = request.method === 'HEAD' ? new Uint8Array() : reply.body
    return { ...reply, headers, body }
  }
}

/** A pattern for each path of a route, in which `{petId}` matches any part that is not empty. */
const patterns = new Map(routes.map(({ path }) => [path, patternOf(path)]))

function patternOf(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`)
}

/** The routes at the path of a request, and the parameters in its path and in its query. */
function targetOf(address: string) {
  try {
    const { pathname, searchParams } = new URL(address)
    const [found, pattern] = [...patterns].find(([, each]) => each.test(pathname)) ?? []
    const groups = Object.entries(pattern?.exec(pathname)?.groups ?? {})
    // After the match, so that an escaped slash stays inside its part.
    const inPath = groups.map(([name, text]) => [name, decodeURIComponent(text)])
    return {
      routes: routes.filter(({ path }) => path === found),
      texts: Object.fromEntries([...searchParams, ...inPath])
    }
  } catch {
    // It is not a URL, or a percent sign in it encodes no character.
    return { routes: [], texts: {} }
  }
}

type Target = ReturnType<typeof targetOf>

function requireKey({ acceptsKey }: Service, { headers }: ServiceRequest): void {
  const key = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (key !== undefined && acceptsKey(key)) return
  const message = key === undefined ? 'the API key is missing' : 'the API key is not valid'
  throw new Refusal(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' })
}

function routeOf({ routes }: Target, method: string): Route | undefined {
  const answering = method === 'HEAD' ? 'GET' : method
  return routes.find(route => route.method === answering)
}

function requireRoute(target: Target, method: string): Route {
  if (target.routes.length === 0)
    throw new Refusal(404, 'not_found', 'there is nothing at this path')

  const found = routeOf(target, method)
  if (found !== undefined) return found
  const allowed = target.routes.flatMap(route =>
    route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
  )
  throw new Refusal(405, 'method_not_allowed', `the method ${method} is not allowed here`, {
    allow: allowed.join(', ')
  })
}

async function answerRoute(
  { database, now }: Service,
  target: Target,
  request: ServiceRequest
): Promise<ServiceReply> {
  const route = requireRoute(target, request.method)
  refuseRemoved(route, now())
  const parameters = route.parameters ? checked(route.parameters, target.texts) : {}
  const value = await route.handler({
    parameters,
    body: route.body && (await bodyAs(schemas[route.body], request)),
    database,
    now,
    // Loaded on request: it is rarely needed, and making the schemas takes time.
    describe: async () => (await import('./openapi.ts')).openApiDocument()
  })
  if (value === undefined && route.absence !== undefined)
    throw new Refusal(404, 'not_found', route.absence(parameters))
  return jsonReply(route.reply?.status ?? 200, value)
}

function refuseRemoved({ method, path, deprecation }: Route, now: Date): void {
  if (deprecation === undefined || now < deprecation.removal) return
  const day = longDate(deprecation.removal)
  throw new Refusal(
    410,
    'gone',
    `${method} ${path} was removed on ${day}; use ${method} ${deprecation.successor} instead`
  )
}

function deprecationHeaders(route: Route | undefined): ServiceReply['headers'] {
  const deprecation = route?.deprecation
  if (deprecation === undefined) return {}
  const { since, removal, successor } = deprecation
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: removal.toUTCString(),
    link: `<${successor}>; rel="successor-version"`
  }
}
