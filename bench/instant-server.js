/**
 * Answers every POST with the same pet as fast as Node can. It parses only the end of each request,
 * so that the benchmark measures the client.
 */
import { createServer } from 'node:net'
import { listen } from './servers.js'

const body = '{"id":1234567,"name":"Rex","categoryId":2,"status":"available"}'
const reply = Buffer.from(
  `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: keep-alive\r\n\r\n${body}`
)
const headEnd = '\r\n\r\n'

const server = createServer(socket => {
  socket.setNoDelay(true)
  let pending = ''
  socket.on('error', () => {})
  socket.on('data', chunk => {
    pending += chunk.toString('latin1')
    let start = 0
    for (let end = pending.indexOf(headEnd); end !== -1; end = pending.indexOf(headEnd, start)) {
      const length = Number(/content-length: *(\d+)/i.exec(pending.slice(start, end))?.[1] ?? 0)
      if (pending.length < end + headEnd.length + length) break
      start = end + headEnd.length + length
      socket.write(reply)
    }
    pending = pending.slice(start)
  })
})
listen(server)
