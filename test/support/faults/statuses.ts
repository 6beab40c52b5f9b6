import { atServer, endsWith, type Fault } from './fault.ts'

/** Well-formed replies with an error status. */
export const statusFaults: readonly Fault[] = [
  refusal(
    301,
    'moved permanently',
    [7, 1],
    [7, 1],
    'location: https://elsewhere.example/v1/pets\r\n'
  ),
  refusal(
    302,
    'found elsewhere',
    [7, 1],
    [7, 1],
    'location: https://elsewhere.example/v1/pets\r\n'
  ),
  refusal(
    307,
    'moved temporarily',
    [7, 1],
    [7, 1],
    'location: https://elsewhere.example/v1/pets\r\n'
  ),
  refusal(400, 'the request is invalid', [3, 1], [3, 1]),
  refusal(401, 'the key is unknown', [4, 1], [4, 1]),
  refusal(403, 'the key has no permission', [4, 1], [4, 1]),
  refusal(404, 'there is no such URL', [5, 1], [5, 1]),
  refusal(409, 'a conflict with existing data', [3, 1], [3, 1]),
  refusal(410, 'the URL is gone', [5, 1], [5, 1]),
  refusal(418, 'another rejection', [3, 1], [3, 1]),
  refusal(422, 'the contents are invalid', [3, 1], [3, 1]),
  refusal(429, 'too many requests', [7, 2], [7, 2]),
  refusal(429, 'too many requests, retry at once', [7, 2], [7, 2], 'retry-after: 0\r\n'),
  refusal(429, 'too many requests, retry in two hours', [7, 1], [7, 1], 'retry-after: 7200\r\n'),
  refusal(500, 'the service failed', [7, 1], [10, 1]),
  refusal(501, 'not implemented', [7, 1], [7, 1]),
  refusal(502, 'a gateway found no backend', [7, 2], [10, 1]),
  refusal(503, 'the service is down', [7, 2], [10, 1]),
  refusal(503, 'the service is down, retry at once', [7, 2], [7, 2], 'retry-after: 0\r\n'),
  refusal(503, 'the service is down, retry in an hour', [7, 1], [7, 1], 'retry-after: 3600\r\n'),
  refusal(
    503,
    'the service is down, with an invalid Retry-After',
    [7, 2],
    [10, 1],
    'retry-after: soon\r\n'
  ),
  refusal(504, 'a gateway timed out', [7, 2], [10, 1]),
  refusal(505, 'another failure', [7, 1], [10, 1]),
  refusal(304, 'not modified', [7, 1], [10, 1]),
  refusal(666, 'a status unknown to HTTP', [7, 1], [10, 1]),
  {
    ...refusal(502, 'a gateway replies with a page', [7, 2], [10, 1]),
    name: '502-html',
    open: () =>
      atServer(endsWith('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 14\r\n\r\n<h1>nginx</h1>'))
  },
  otherBody(
    400,
    'nginx requires a client certificate',
    '<title>400 No required SSL certificate was sent</title>'
  ),
  otherBody(
    422,
    'problem details',
    JSON.stringify({
      type: 'https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY',
      title: 'Invalid request',
      status: 422,
      detail: 'Your request is not valid'
    }),
    'application/problem+json'
  )
]

function otherBody(status: number, what: string, body: string, type = 'text/html'): Fault {
  const head = `HTTP/1.1 ${status} Made Up\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`
  return {
    ...refusal(status, what, [3, 1], [3, 1]),
    name: `${status}-${type}`,
    open: () => atServer(endsWith(head + body))
  }
}

function refusal(
  status: number,
  what: string,
  list: Fault['list'],
  add: Fault['add'],
  headers = ''
): Fault {
  const body = JSON.stringify({ code: 'made_up', message: what, status })
  const [, wait] = /^retry-after: (\S+)/.exec(headers) ?? []
  return {
    name: [status, ...(wait === undefined ? [] : ['retry-after', wait])].join('-'),
    what,
    result: {
      isStarted: true,
      status,
      waitSeconds: wait === undefined || wait === 'soon' ? undefined : Number(wait)
    },
    list,
    add,
    open: () =>
      atServer(
        endsWith(
          `HTTP/1.1 ${status} Made Up\r\n${headers}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
        )
      )
  }
}
