/** Answers every request with twenty animals, and prints its port: a process of its own, so that it waits for nobody. */
import { createServer } from 'node:http'

const animals = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  name: `Animal ${index + 1}`,
  categoryId: (index % 5) + 1,
  status: 'available',
}))
const body = JSON.stringify(animals)

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : address)
})
