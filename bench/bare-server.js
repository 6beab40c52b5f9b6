/** Sends these bytes and does nothing else: what `service.js` compares the local service with. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [listFile = '', petFile = ''] = process.argv.slice(2)
const bodies = {
  GET: { status: 200, body: readFileSync(listFile) },
  POST: { status: 201, body: readFileSync(petFile) },
}

const server = createServer((request, response) => {
  const { status, body } = request.method === 'POST' ? bodies.POST : bodies.GET
  const reply = () => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.byteLength })
    response.end(body)
  }
  if (request.method === 'POST') request.resume().once('end', reply)
  else reply()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(JSON.stringify({ messagesUrl: `http://127.0.0.1:${address?.port}` }))
})
