import {
  atServer,
  drips,
  type End,
  ends,
  type Fault,
  head,
  pours,
  resets,
  writes
} from './fault.ts'

const lost: [End, End] = [
  [6, 2],
  [10, 1]
]
const late: [End, End] = [
  [6, 1],
  [10, 1]
]
const wrong: [End, End] = [
  [7, 1],
  [10, 1]
]
const page = (text: string) => ends(`${head}content-length: ${text.length}\r\n\r\n${text}`)
const tooMany = 'HTTP/1.1 429 No\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n'

/** The request has started, and there is no reply, or a broken one. */
export const replyFaults: readonly Fault[] = [
  atServer('reset instead of a reply', ...lost, resets('')),
  atServer('closed instead of a reply', ...lost, ends('')),
  atServer('reset in the head of the reply', ...lost, resets(`${head}content-le`)),
  atServer('silent', ...late, () => {}),
  atServer('silent in the head of the reply', ...late, writes(`${head}content-le`)),
  atServer('a head that arrives slowly', ...late, drips(head, 'x: y\r\n')),
  atServer('another protocol', ...wrong, ends('SSH-2.0-OpenSSH_9.9\r\n')),
  atServer('a header without a name', ...wrong, ends(`${head}: nothing\r\n\r\n`)),
  atServer('a head without end', ...wrong, pours(head, `x: ${'y'.repeat(1000)}\r\n`)),
  atServer(
    'two lengths',
    ...wrong,
    ends(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n[]`)
  ),
  atServer('429, then a reset of the kept connection', [6, 2], [10, 2], (socket, { count }) => {
    if (count > 1) socket.resetAndDestroy()
    else socket.write(tooMany)
  })
]

/** A success whose body is not what it should be. */
export const bodyFaults: readonly Fault[] = [
  atServer('shorter than announced', ...lost, ends(`${head}content-length: 99\r\n\r\n[`)),
  atServer(
    'without its last chunk',
    ...lost,
    ends(`${head}transfer-encoding: chunked\r\n\r\n1\r\n[\r\n`)
  ),
  atServer('silent', ...late, writes(`${head}content-length: 99\r\n\r\n[`)),
  atServer('a body that arrives slowly', ...late, drips(`${head}\r\n`, ' ')),
  atServer('a body without end', ...wrong, pours(`${head}\r\n`, Buffer.alloc(2 ** 20, ' '))),
  atServer('an HTML page', ...wrong, page('<!doctype html><title>It works!</title>')),
  atServer('empty', ...wrong, page('')),
  atServer('more text after the JSON', ...wrong, page('[] []')),
  atServer('a hundred thousand levels deep', ...wrong, page('['.repeat(1e5) + ']'.repeat(1e5))),
  atServer('wrapped in an object', ...wrong, page('{"data":[]}')),
  atServer(
    'an id beyond 64 bits',
    ...wrong,
    page(`[{"id":${2n ** 63n},"name":"Rex","categoryId":1}]`)
  )
]

const answered = (status: string, list: End, add: End, headers = '') =>
  atServer(
    [status, ...headers.split('\r\n', 1)].join(' ').trim(),
    list,
    add,
    ends(`HTTP/1.1 ${status} Made Up\r\n${headers}content-length: 22\r\n\r\n{"message":"made up" }`)
  )

/** Complete replies with an error status: one of each end. */
export const statusFaults: readonly Fault[] = [
  answered('301', [7, 1], [10, 1], 'location: https://elsewhere.example/?key=secret\r\n'),
  answered('307', [7, 1], [7, 1], 'location: https://elsewhere.example/\r\n'),
  answered('400', [3, 1], [3, 1]),
  answered('401', [4, 1], [4, 1]),
  answered('404', [5, 1], [5, 1]),
  answered('408', [3, 1], [10, 1]),
  answered('429', [7, 2], [7, 2]),
  answered('429', [7, 1], [7, 1], 'retry-after: 7200\r\n'),
  answered('501', [7, 1], [7, 1]),
  answered('503', [7, 2], [10, 1], 'retry-after: 0\r\n')
]
