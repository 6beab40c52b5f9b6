import { gzipSync } from 'node:zlib'
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
const page = (text: string | Uint8Array, headers = '') =>
  ends(
    Buffer.concat([
      Buffer.from(`${head}${headers}content-length: ${text.length}\r\n\r\n`),
      Buffer.from(text)
    ])
  )
const switching = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
const tooMany = 'HTTP/1.1 429 No\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n'

/** The request has started, and there is no reply, or a broken one. */
export const replyFaults: readonly Fault[] = [
  atServer('reset instead of a reply', ...lost, resets('')),
  atServer('closed instead of a reply', ...lost, ends('')),
  atServer('closed in the head of the reply', ...lost, ends(`${head}content-le`)),
  atServer('reset in the head of the reply', ...lost, resets(`${head}content-le`)),
  atServer('silent', ...late, () => {}),
  atServer('silent in the head of the reply', ...late, writes(`${head}content-le`)),
  atServer('a head that arrives slowly', ...late, drips(head, 'x: y\r\n')),
  atServer('silent but for 103', ...late, drips('', 'HTTP/1.1 103 Early Hints\r\n\r\n')),
  atServer('another protocol', ...wrong, ends('SSH-2.0-OpenSSH_9.9\r\n')),
  atServer('random bytes', ...wrong, ends(Buffer.from([0, 255, 1, 254, 13, 10]))),
  atServer('a page without a status line', ...wrong, ends('<html>hello</html>')),
  atServer('a header without a name', ...wrong, ends(`${head}: nothing\r\n\r\n`)),
  atServer('a header of 40 kB', ...wrong, writes(`${head}x: ${'y'.repeat(40_000)}\r\n\r\n`)),
  atServer('a head without end', ...wrong, pours(head, `x: ${'y'.repeat(1000)}\r\n`)),
  atServer('another protocol after a 101', ...lost, ends(switching)),
  atServer(
    'two lengths',
    ...wrong,
    ends(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n[]`)
  ),
  atServer('a negative length', ...wrong, ends(`${head}content-length: -1\r\n\r\n[]`)),
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
  atServer('closed early, without a length', ...wrong, ends(`${head}\r\n[`)),
  atServer('reset', ...lost, resets(`${head}content-length: 99\r\n\r\n[`)),
  atServer(
    'a chunk without a length',
    ...wrong,
    ends(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n[`)
  ),
  atServer('silent', ...late, writes(`${head}content-length: 99\r\n\r\n[`)),
  atServer('a body that arrives slowly', ...late, drips(`${head}\r\n`, ' ')),
  atServer('a body without end', ...wrong, pours(`${head}\r\n`, Buffer.alloc(2 ** 20, ' '))),
  atServer(
    'compressed, although that was not asked for',
    ...wrong,
    page(gzipSync('[]'), 'content-encoding: gzip\r\n')
  ),
  atServer('an HTML page', ...wrong, page('<!doctype html><title>It works!</title>')),
  atServer('empty', ...wrong, page('')),
  atServer('204', ...wrong, ends('HTTP/1.1 204 No Content\r\n\r\n')),
  atServer('Latin-1', ...wrong, page(Buffer.from('["\xe9"]', 'latin1'))),
  atServer('more text after the JSON', ...wrong, page('[] []')),
  atServer('a hundred thousand levels deep', ...wrong, page('['.repeat(1e5) + ']'.repeat(1e5))),
  atServer('null', ...wrong, page('null')),
  atServer('wrapped in an object', ...wrong, page('{"data":[]}')),
  atServer('a pet without an id', ...wrong, page('[{"name":"Rex","categoryId":1}]')),
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

/** Complete replies with an error status. */
export const statusFaults: readonly Fault[] = [
  answered('301', [7, 1], [10, 1], 'location: https://elsewhere.example/?key=secret\r\n'),
  answered('303', [7, 1], [10, 1], 'location: /v1/pets/1\r\n'),
  answered('304', [7, 1], [7, 1]),
  answered('307', [7, 1], [7, 1], 'location: https://elsewhere.example/\r\n'),
  answered('400', [3, 1], [3, 1]),
  answered('401', [4, 1], [4, 1]),
  answered('403', [4, 1], [4, 1]),
  answered('404', [5, 1], [5, 1]),
  answered('408', [3, 1], [10, 1]),
  answered('409', [3, 1], [3, 1]),
  answered('410', [5, 1], [5, 1]),
  answered('422', [3, 1], [3, 1]),
  answered('429', [7, 2], [7, 2]),
  answered('429', [7, 1], [7, 1], 'retry-after: 7200\r\n'),
  answered('500', [7, 1], [10, 1]),
  answered('501', [7, 1], [7, 1]),
  answered('502', [7, 2], [10, 1]),
  answered('503', [7, 2], [10, 1]),
  answered('503', [7, 2], [10, 1], 'retry-after: 0\r\n'),
  answered('503', [7, 1], [10, 1], 'retry-after: 3600\r\n'),
  answered('503', [7, 2], [10, 1], 'retry-after: soon\r\n'),
  answered('504', [7, 2], [10, 1]),
  answered('505', [7, 1], [10, 1]),
  answered('666', [7, 1], [10, 1])
]
