/** Only sends these bytes. `service.js` compares the local service with it. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { listen } from './servers.js'

const [listFile = '', petFile = ''] = process.argv.slice(2)
const bodies = {
  GET: { status: 200, body: readFileSync(listFile) },
  POST: { status: 201, body: readFileSync(petFile) }
}

const server = createServer((request, response) => {
  const { status, body } = request.method === 'POST' ? bodies.POST : bodies.GET
  const reply = () => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': body.byteLength
    })
    response.end(body)
  }
  if (request.method === 'POST') request.resume().once('end', reply)
  else reply()
})
listen(server)
