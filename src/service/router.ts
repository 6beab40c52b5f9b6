import type { Failure } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { extras, type Tools } from './extras.ts'
import {
  type Around,
  bodyAs,
  checked,
  errorReply,
  headerOf,
  jsonReply,
  Refusal,
  type ServiceReply,
  type ServiceRequest,
  textReply
} from './http.ts'
import { type Route, routes, schemas } from './routes.ts'
import type { Tables } from './tables.ts'

interface Service extends Tools {
  now(): Date
  /** Receives a Failure of the database. It becomes a 500 unless this function throws it again. */
  readonly onFailure?: (failure: Failure) => void
  /** Makes the operations slow or faulty. */
  readonly misbehave?: Around
}

/** The service as a function from a request to a reply. */
export function createHandler(service: Service) {
  const { onFailure, misbehave = (_, answer) => answer() } = service
  const inProgress = new Set<string>()

  /** While the first request with a key is in progress, others with this key are refused. */
  const alone: Around = async (request, answer) => {
    const key = idempotencyKey(request)
    if (key !== '' && inProgress.has(key))
      throw new Refusal(409, 'in_progress', 'the first request with this key is in progress')
    inProgress.add(key)
    return answer().finally(() => inProgress.delete(key))
  }
  /** Anything that the work throws becomes an Error body. */
  const replyFrom = (work: () => Promise<ServiceReply>) =>
    work().catch(error => errorReply(error, onFailure))

  return async (request: ServiceRequest): Promise<ServiceReply> => {
    const { method, path, isAuthorized } = request
    if (method === 'OPTIONS') return preflight
    const reply = await replyFrom(async () => {
      const { here, texts } = targetOf(path)
      const isOpen = here.some(each => 'answer' in each && !each.path.startsWith('/_local'))
      if (!isOpen && !isAuthorized)
        throw new Refusal(401, 'unauthorized', 'the API key is missing or not valid', {
          'www-authenticate': 'Bearer'
        })
      const route = requireRoute(here, method)
      if ('answer' in route) return route.answer(service)
      const answer = () => replyFrom(() => answerRoute(service, route, texts, request))
      return alone(request, () => misbehave(request, answer))
    })
    return method === 'HEAD' ? { ...reply, body: new Uint8Array() } : reply
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

/** What is at the path of a request, and the parameters in its path and in its query. */
function targetOf(address: string) {
  const [pathname = '', query] = address.split('?', 2)
  const found = patterns.filter(({ pattern }) => pattern.test(pathname))
  const inPath = found[0]?.pattern.exec(pathname)?.groups
  return {
    here: found.map(({ route }) => route),
    texts: { ...Object.fromEntries(new URLSearchParams(query)), ...inPath }
  }
}

function requireRoute(here: ReturnType<typeof targetOf>['here'], method: string) {
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
  texts: Readonly<Record<string, string>>,
  request: ServiceRequest
) {
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
  if (route.method === 'GET') return database.readOnce(request.path, answer)
  return database.write(tables => answerOnce(tables, request, route.status, () => answer(tables)))
}

const idempotencyKey = (request: ServiceRequest) => headerOf(request, 'idempotency-key')

/**
 * The first reply to the key of a request, marked as such. Otherwise that of the work is kept, in the
 * transaction of its change, so that there is never one without the other.
 */
function answerOnce(
  tables: Tables,
  request: ServiceRequest,
  status: number,
  work: () => Reply
): Reply {
  const key = idempotencyKey(request)
  if (key === '') return work()
  const { method, path, body } = request
  const sent = `${method} ${path}\n${body}`
  const first = tables.firstReply(key)
  if (first?.request === sent)
    return textReply(status, first.body, { 'idempotent-replayed': 'true' })
  if (first !== undefined)
    return new Refusal(422, 'key_reused', 'this idempotency key belongs to another request').reply
  const reply = work()
  if (isSuccess(reply)) tables.keepReply(key, sent, Buffer.from(reply.body).toString())
  return reply
}
