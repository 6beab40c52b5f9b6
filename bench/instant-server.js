/**
 * Answers every POST with the pet that was sent as fast as Node can. It parses only the end of each
 * request, so that the benchmark measures the client.
 */
import { createServer } from 'node:net'
import { listen } from './servers.js'

const head =
  'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\nconnection: keep-alive\r\ncontent-length: '
const start = '{"id":1234567,'
const headEnd = '\r\n\r\n'

const server = createServer(socket => {
  socket.setNoDelay(true)
  let pending = ''
  socket.on('error', () => {})
  socket.on('data', chunk => {
    pending += chunk.toString('latin1')
    let read = 0
    for (let end = pending.indexOf(headEnd); end !== -1; end = pending.indexOf(headEnd, read)) {
      const length = Number(/content-length: *(\d+)/i.exec(pending.slice(read, end))?.[1] ?? 0)
      const bodyAt = end + headEnd.length
      if (pending.length < bodyAt + length) break
      read = bodyAt + length
      // The pet without its first brace.
      const pet = start + pending.slice(bodyAt + 1, read)
      socket.write(`${head}${pet.length}${headEnd}${pet}`, 'latin1')
    }
    pending = pending.slice(read)
  })
})
listen(server)
