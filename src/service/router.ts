import type { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { extras, type Tools } from './extras.ts'
import {
  type Around,
  bodyAs,
  checked,
  errorReply,
  isAuthorized,
  jsonReply,
  Refusal,
  type ServiceReply,
  type ServiceRequest
} from './http.ts'
import { onceForKey, oneAtATime } from './idempotency.ts'
import { type Route, routes, schemas } from './routes.ts'
import type { Tables } from './tables.ts'

interface Service extends Tools {
  readonly key: string
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
  const answerAsPlanned = (route: Route, texts: Texts, request: ServiceRequest) => {
    const answer = () => replyFrom(() => answerRoute(service, route, texts, request))
    return alone(request, () => misbehave(request, answer))
  }

  return async (request: ServiceRequest): Promise<ServiceReply> => {
    if (request.method === 'OPTIONS') return preflight
    const reply = await replyFrom(async () => {
      const target = targetOf(request.path)
      if (!target.isOpen) requireKey(service, request)
      const route = requireRoute(target, request.method)
      return 'answer' in route
        ? route.answer(service)
        : answerAsPlanned(route, target.texts, request)
    })
    return request.method === 'HEAD' ? { ...reply, body: new Uint8Array() } : reply
  }
}

/** Pages of other origins ask for permission before they send a request. */
const preflight: Reply = {
  status: 204,
  headers: {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Prefer'
  },
  body: new Uint8Array()
}

/** Each with a pattern in which `{petId}` matches any part that is not empty. */
const patterns = [...routes, ...extras].map(route => {
  const pattern = route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return { route, pattern: new RegExp(`^${pattern}$`) }
})

type Texts = Readonly<Record<string, string>>

/** What is at the path of a request, and the parameters in its path and in its query. */
function targetOf(address: string) {
  const [pathname = '', query] = address.split('?', 2)
  const found = patterns.filter(({ pattern }) => pattern.test(pathname))
  const inPath = found[0]?.pattern.exec(pathname)?.groups
  const texts: Texts = { ...Object.fromEntries(new URLSearchParams(query)), ...inPath }
  const here = found.map(({ route }) => route)
  return { here, texts, isOpen: here.some(route => 'isOpen' in route) }
}

function requireKey({ key }: Service, { headers }: ServiceRequest) {
  if (isAuthorized(headers, key)) return
  throw new Refusal(401, 'unauthorized', 'the API key is missing or not valid', {
    'www-authenticate': 'Bearer'
  })
}

function requireRoute({ here }: ReturnType<typeof targetOf>, method: string) {
  if (here.length === 0) throw new Refusal(404, 'not_found', 'there is nothing at this path')
  const found = here.find(route => route.method === (method === 'HEAD' ? 'GET' : method))
  if (found !== undefined) return found
  throw new Refusal(405, 'method_not_allowed', `the method ${method} is not allowed here`, {
    allow: here.map(route => route.method).join(', ')
  })
}

async function answerRoute(
  { database, now }: Service,
  route: Route,
  texts: Texts,
  request: ServiceRequest
): Promise<ServiceReply> {
  const time = now()
  if (route.removal !== undefined && time >= route.removal)
    throw new Refusal(410, 'gone', 'this operation was removed; use GET /v1/pets instead')
  // Checked before anything waits for the database.
  const parameters = route.parameters ? checked(route.parameters, texts) : {}
  const body = route.body && bodyAs(schemas[route.body], request)
  const answer = (tables: Tables) => {
    const value = route.handler({ parameters, body, tables, now: time })
    if (value !== undefined) return jsonReply(route.status, value, route.headers)
    const item = [route.reply.toLowerCase(), ...Object.values(parameters)].join(' ')
    return new Refusal(404, 'not_found', `there is no ${item}`).reply
  }
  if (route.method === 'GET') return database.remember(request.path, answer)
  const { status } = route
  return database.write(tables => onceForKey(tables, request, status, () => answer(tables)))
}
