/**
 * Answers every request with twenty pets, and prints its URL: pets-server.js [NAME]. It is a separate
 * process, so that nothing delays it.
 */
import { createServer } from 'node:http'
import { listen } from './servers.js'

const [name = 'Pet'] = process.argv.slice(2)
const pets = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  name: `${name} ${index + 1}`,
  categoryId: (index % 5) + 1,
  status: 'available'
}))
const body = JSON.stringify(pets)

const server = createServer((_, response) => {
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body)
    })
    .end(body)
})
listen(server)
