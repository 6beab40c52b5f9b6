import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { BodyProblem } from '../../../src/client/retry-policy.ts'
import type { FaultKind } from '../../../src/client/transport-fault.ts'
import { atServer, drips, endsWith, type Fault, head, pours, writes } from './fault.ts'

const megabyte = 1024 * 1024

/** A success whose body breaks the contract. */
export const bodyFaults: readonly Fault[] = [
  badBody(
    'cut-length',
    'the body is shorter than announced',
    'lost',
    endsWith(`${head}content-length: 99\r\n\r\n[`)
  ),
  badBody(
    'cut-chunks',
    'the last chunk is missing',
    'lost',
    endsWith(`${head}transfer-encoding: chunked\r\n\r\n1\r\n[\r\n`)
  ),
  badBody(
    'cut-open-end',
    'the connection is closed early, without an announced length',
    'misshapen',
    endsWith(`${head}\r\n[`)
  ),
  badBody('reset-body', 'the connection is reset during the body', 'lost', socket =>
    socket.write(`${head}content-length: 99\r\n\r\n[`, () => socket.resetAndDestroy())
  ),
  badBody(
    'bad-chunk',
    'a chunk has no length',
    'not-http',
    endsWith(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n[`)
  ),
  badBody('silent-body', 'the body stops', 'timeout', writes(`${head}content-length: 99\r\n\r\n[`)),
  badBody(
    'dripping-body',
    'the body arrives slowly, without end',
    'timeout',
    drips(`${head}\r\n`, ' ')
  ),
  badBody(
    'endless-body',
    'the body never ends',
    'too-large',
    pours(`${head}\r\n`, Buffer.alloc(megabyte, ' '))
  ),
  badBody(
    'endless-chunks',
    'the chunks never end',
    'too-large',
    pours(`${head}transfer-encoding: chunked\r\n\r\n`, `${'8000\r\n'}${' '.repeat(0x8000)}\r\n`)
  ),
  badBody(
    'announced-too-large',
    'more than 32 MiB is announced',
    'too-large',
    writes(`${head}content-length: ${32 * megabyte + 1}\r\n\r\n`)
  ),
  badBody('gzip-bomb', 'the body is a gzip bomb', 'too-large', socket =>
    socket.end(withBody(gzipSync(Buffer.alloc(64 * megabyte)), 'content-encoding: gzip\r\n'))
  ),
  badBody(
    'gzip-cut',
    'the end of a gzip body is missing',
    'lost',
    endsWith(withBody(gzipSync('[]').subarray(0, -4), 'content-encoding: gzip\r\n'))
  ),
  foreignBody('html', 'the reply is an HTML page', '<!doctype html><title>It works!</title>'),
  foreignBody('text', 'the reply is plain text', 'fine'),
  foreignBody('empty', 'the body is empty', ''),
  {
    ...foreignBody('no-content', 'the reply is 204, which has no body', ''),
    result: { isStarted: true, status: 204, problem: 'foreign' },
    open: () => atServer(endsWith('HTTP/1.1 204 No Content\r\n\r\n'))
  },
  wrongBody('not-utf-8', 'the body is in Latin-1', Buffer.from('["\xe9"]', 'latin1')),
  wrongBody('two-values', 'more text follows the JSON', '[] []'),
  wrongBody(
    'nested-deep',
    'the JSON is a hundred thousand levels deep',
    '['.repeat(100_000) + ']'.repeat(100_000)
  ),
  wrongBody('null', 'the JSON is null', 'null'),
  wrongBody('number', 'the JSON is a number', '7'),
  wrongBody(
    'wrapped',
    'the JSON is wrapped in an object',
    '{"data":[{"id":1,"name":"Rex","categoryId":1}]}'
  ),
  wrongPet('no-id', 'a pet has no id', '{"name":"Rex","categoryId":1}'),
  wrongPet('no-name', 'a pet has no name', '{"id":1,"categoryId":1}'),
  wrongPet('no-category', 'a pet has no category', '{"id":1,"name":"Rex"}'),
  wrongPet('id-as-text', 'an id is text', '{"id":"1","name":"Rex","categoryId":1}'),
  wrongPet('fraction', 'an id has a fraction', '{"id":1.5,"name":"Rex","categoryId":1}'),
  wrongPet(
    'beyond-int64',
    'an id has more than 64 bits',
    '{"id":9223372036854775808,"name":"Rex","categoryId":1}'
  ),
  wrongPet('name-as-number', 'a name is a number', '{"id":1,"name":7,"categoryId":1}'),
  wrongPet(
    'status-as-number',
    'a status is a number',
    '{"id":1,"name":"Rex","categoryId":1,"status":1}'
  ),
  wrongPet('pet-as-text', 'a pet is text', '"Rex"')
]

function badBody(
  name: string,
  what: string,
  problem: FaultKind | BodyProblem,
  answer: (socket: Socket) => void
): Fault {
  return {
    name,
    what,
    result: { isStarted: true, status: 200, problem },
    list: problem === 'lost' ? [6, 2] : [problem === 'timeout' ? 6 : 7, 1],
    add: [10, 1],
    needsDeadline: problem === 'timeout',
    open: () => atServer(answer)
  }
}

function wrongBody(name: string, what: string, body: string | Uint8Array): Fault {
  return badBody(name, what, 'misshapen', endsWith(withBody(body)))
}

function foreignBody(name: string, what: string, body: string): Fault {
  return badBody(name, what, 'foreign', endsWith(withBody(body)))
}

/** The pet alone in reply to a POST, in a list in reply to a GET. */
function wrongPet(name: string, what: string, pet: string): Fault {
  return {
    ...badBody(name, what, 'misshapen', () => {}),
    open: () =>
      atServer((socket, { method }) => socket.end(withBody(method === 'GET' ? `[${pet}]` : pet)))
  }
}

function withBody(body: string | Uint8Array, headers = ''): Buffer {
  const bytes = Buffer.from(body as string)
  return Buffer.concat([
    Buffer.from(`${head}${headers}content-length: ${bytes.length}\r\n\r\n`),
    bytes
  ])
}
