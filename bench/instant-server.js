/**
 * A server that answers every POST with the same animal as fast as Node can: it looks for the end of each request and
 * for nothing else, so that what is measured is the client.
 */
import { createServer } from 'node:net'

const body = '{"id":1234567,"name":"Rex","categoryId":2,"status":"available"}'
const reply = Buffer.from(
  `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: keep-alive\r\n\r\n${body}`,
)
const headEnd = '\r\n\r\n'

const server = createServer((socket) => {
  socket.setNoDelay(true)
  let held = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    held += chunk.toString('latin1')
    let start = 0
    for (let end = held.indexOf(headEnd); end !== -1; end = held.indexOf(headEnd, start)) {
      const length = Number(/content-length: *(\d+)/i.exec(held.slice(start, end))?.[1] ?? 0)
      if (held.length < end + headEnd.length + length) break
      start = end + headEnd.length + length
      socket.write(reply)
    }
    held = held.slice(start)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  console.log(JSON.stringify({ messagesUrl: `http://127.0.0.1:${port}` }))
})
