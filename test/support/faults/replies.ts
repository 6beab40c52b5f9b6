import type { Socket } from 'node:net'
import type { FaultKind } from '../../../src/client/transport-fault.ts'
import { atServer, drips, endsWith, type Fault, head, pours, writes } from './fault.ts'

/** The request has started, and the head of the reply is missing or broken. */
export const replyFaults: readonly Fault[] = [
  {
    ...noReply(
      'reset-while-sending',
      'the connection is reset before the request is read',
      'lost',
      () => {}
    ),
    list: [6, 0],
    add: [10, 0],
    open: () =>
      atServer(() => {}, {
        onConnection: socket => {
          socket.once('data', () => socket.resetAndDestroy())
          return 'taken'
        }
      })
  },
  noReply('reset-after-request', 'the connection is reset instead of a reply', 'lost', socket =>
    socket.resetAndDestroy()
  ),
  noReply('closed-after-request', 'the connection is closed instead of a reply', 'lost', socket =>
    socket.end()
  ),
  noReply(
    'cut-head',
    'the connection is closed during the head of the reply',
    'lost',
    endsWith(`${head}content-le`)
  ),
  noReply('reset-head', 'the connection is reset during the head of the reply', 'lost', socket =>
    socket.write(`${head}content-le`, () => socket.resetAndDestroy())
  ),
  noReply('silent', 'no reply arrives', 'timeout', () => {}),
  noReply('silent-head', 'the reply stops in its head', 'timeout', writes(`${head}content-le`)),
  noReply(
    'dripping-head',
    'the head of the reply arrives slowly, without end',
    'timeout',
    drips(head, 'x: y\r\n')
  ),
  noReply(
    'early-hints',
    'only 103 replies arrive',
    'timeout',
    drips('', 'HTTP/1.1 103 Early Hints\r\n\r\n')
  ),
  noReply(
    'not-http',
    'the server speaks another protocol',
    'not-http',
    endsWith('SSH-2.0-OpenSSH_9.9\r\n')
  ),
  noReply(
    'binary',
    'the reply is random bytes',
    'not-http',
    endsWith(Buffer.from([0, 255, 1, 254, 13, 10]))
  ),
  noReply(
    'no-status-line',
    'the reply is a page without a status line',
    'not-http',
    endsWith('<html>hello</html>')
  ),
  noReply(
    'bad-status-line',
    'the status is not a number',
    'not-http',
    endsWith('HTTP/1.1 OK 200\r\n\r\n')
  ),
  noReply('bad-header', 'a header has no name', 'not-http', endsWith(`${head}: nothing\r\n\r\n`)),
  noReply(
    'header-too-large',
    'a header is 40 kB long',
    'too-large',
    writes(`${head}x: ${'y'.repeat(40_000)}\r\n\r\n`)
  ),
  noReply(
    'endless-headers',
    'the head never ends',
    'too-large',
    pours(head, `x: ${'y'.repeat(1000)}\r\n`)
  ),
  noReply(
    'unasked-101',
    'the protocol is switched without a request for it',
    'lost',
    endsWith(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
    )
  ),
  noReply(
    'two-lengths',
    'the reply has two lengths',
    'not-http',
    endsWith(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n[]`)
  ),
  noReply(
    'length-and-chunks',
    'the reply has a length and chunks',
    'not-http',
    endsWith(`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`)
  ),
  noReply(
    'negative-length',
    'the length is negative',
    'not-http',
    endsWith(`${head}content-length: -1\r\n\r\n[]`)
  ),
  {
    name: 'kept-alive-and-closed',
    what: 'the server replies 429, then resets the connection that it kept open',
    result: { problem: 'lost', isStarted: true },
    list: [6, 2],
    add: [10, 2],
    open: () =>
      atServer((socket, { count }) => {
        if (count > 1) socket.resetAndDestroy()
        else
          socket.write(
            'HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n'
          )
      })
  }
]

function noReply(
  name: string,
  what: string,
  fault: FaultKind,
  answer: (socket: Socket) => void
): Fault {
  return {
    name,
    what,
    result: { problem: fault, isStarted: true },
    list: fault === 'lost' ? [6, 2] : [fault === 'timeout' ? 6 : 7, 1],
    add: [10, 1],
    needsDeadline: fault === 'timeout',
    open: () => atServer(answer)
  }
}
