import * as z from 'zod/mini'
import type { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { longDate } from '../model/quantities.ts'
import type { PetDatabase } from './database.ts'
import {
  bearerKey,
  bodyAs,
  checked,
  errorReply,
  jsonReply,
  Refusal,
  type ServiceRequest,
} from './http.ts'
import { type Route, routes } from './routes.ts'

interface Service<Injected> {
  readonly database: PetDatabase
  acceptsKey(key: string): boolean
  now(): Date
  /** Receives a Failure of the database. It becomes a 500 unless this function throws it again. */
  readonly onFailure?: (failure: Failure) => void
  /** Called for each request with a valid key, before it is answered. */
  readonly intercept?:
    | ((request: ServiceRequest, answer: () => Promise<Reply>) => Promise<Reply | Injected>)
    | undefined
}

/** The service as a function from a request to a reply. */
export function createHandler<Injected extends string = never>(
  service: Service<Injected>,
): (request: ServiceRequest) => Promise<Reply | NoInfer<Injected>> {
  const { onFailure, intercept = (_, answer) => answer() } = service

  /** Anything that the work throws becomes an Error body. */
  const replyFrom = async <Result>(work: () => Promise<Result>): Promise<Reply | Result> => {
    try {
      return await work()
    } catch (error) {
      return errorReply(error, onFailure)
    }
  }

  const answer = async (request: ServiceRequest): Promise<Reply | Injected> => {
    const target = targetOf(request.url)
    const answerTarget = async () => {
      const route = routeFor(target, request.method)
      const reply = await replyFrom(() => answerRoute(service, route, target, request))
      const headers = { ...reply.headers, ...deprecationHeaders(route) }
      return { ...reply, headers }
    }
    if (target.routes.some(({ needsKey }) => needsKey === false)) return answerTarget()
    requireKey(service, request)
    return intercept(request, () => replyFrom(answerTarget))
  }

  return async (request) => {
    const reply = await replyFrom(() => answer(request))
    if (typeof reply === 'string' || request.method !== 'HEAD') return reply
    return { ...reply, body: new Uint8Array() }
  }
}

/** What a request target means. */
interface Target {
  /** The path's parts, decoded one by one, so that an escaped slash stays inside its part. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
  /** Those with its path. */
  readonly routes: readonly Route[]
}

function targetOf(address: string): Target {
  const { parts, query } = readAddress(address)
  return { parts, query, routes: routes.filter(({ path }) => isAt(parts, path)) }
}

function readAddress(address: string): Pick<Target, 'parts' | 'query'> {
  try {
    const { pathname, searchParams } = new URL(address)
    const parts = pathname.slice(1).split('/')
    return { parts: parts.map(decodeURIComponent), query: searchParams }
  } catch {
    // It is not a URL, or a percent sign in it encodes no character.
    return { parts: [], query: new URLSearchParams() }
  }
}

/** Whether a path fits a route's; `{petId}` matches any part that is not empty. */
function isAt(parts: readonly string[], path: string): boolean {
  const names = path.slice(1).split('/')
  const fits = (name: string, part: string | undefined) =>
    isParameter(name) ? part !== '' : part === name
  if (names.length !== parts.length) return false
  return names.every((name, index) => fits(name, parts[index]))
}

const isParameter = (name: string) => name.startsWith('{')

function requireKey({ acceptsKey }: Service<unknown>, request: ServiceRequest): void {
  if (showsKey(request, acceptsKey)) return
  const isMissing = bearerKey(request) === undefined
  const message = isMissing ? 'the API key is missing' : 'the API key is not valid'
  throw new Refusal(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' })
}

/** Whether the request has the key of the service. */
export function showsKey(request: ServiceRequest, acceptsKey: (key: string) => boolean): boolean {
  const key = bearerKey(request)
  return key !== undefined && acceptsKey(key)
}

function routeFor({ routes }: Target, method: string): Route {
  if (routes.length === 0) throw new Refusal(404, 'not_found', 'there is nothing at this path')

  const answering = method === 'HEAD' ? 'GET' : method
  const found = routes.find((route) => route.method === answering)
  if (found !== undefined) return found
  throw new Refusal(405, 'method_not_allowed', `the method ${method} is not allowed here`, {
    allow: allowedMethods(routes),
  })
}

/** As the `Allow` header lists them. */
function allowedMethods(among: readonly Route[]): string {
  const methods = among.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const different = new Set(methods)
  return [...different].join(', ')
}

const noParameters = z.object({})

async function answerRoute(
  { database, now }: Service<unknown>,
  route: Route,
  { parts, query }: Target,
  request: ServiceRequest,
): Promise<Reply> {
  refuseRemoved(route, now())
  const names = route.path.slice(1).split('/')
  const entries = names.flatMap((name, index) =>
    isParameter(name) ? [[name.slice(1, -1), parts[index]]] : [],
  )
  const pathTexts = Object.fromEntries(entries)
  const queryTexts = Object.fromEntries(query)
  const value = await route.handler({
    path: checked(route.pathParameters ?? noParameters, pathTexts),
    query: checked(route.query ?? noParameters, queryTexts),
    body: route.body && (await bodyAs(route.body, request)),
    database,
    now,
    // Loaded on request: it is rarely needed, and making the schemas takes time.
    describe: async () => (await import('./openapi.ts')).openApiDocument(),
  })
  return jsonReply(route.reply?.status ?? 200, value)
}

function refuseRemoved({ method, path, deprecation }: Route, now: Date): void {
  if (deprecation === undefined || now < deprecation.removal) return
  const day = longDate(deprecation.removal)
  throw new Refusal(
    410,
    'gone',
    `${method} ${path} was removed on ${day}; use ${method} ${deprecation.successor} instead`,
  )
}

function deprecationHeaders({ deprecation }: Route): Readonly<Record<string, string>> {
  if (deprecation === undefined) return {}
  const { since, removal, successor } = deprecation
  const seconds = since.getTime() / 1000
  return {
    deprecation: `@${seconds}`,
    sunset: removal.toUTCString(),
    link: `<${successor}>; rel="successor-version"`,
  }
}
