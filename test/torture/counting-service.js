/**
 * A service that counts how often it adds each pet, and that fails for some pets. The number in the
 * name of a pet determines the fault, so a resumed run gets the same faults.
 */
import { createServer } from 'node:http'

const faults = [
  'drop-before',
  'drop-after',
  'reset-before',
  'reset-after',
  'delay',
  'too-many',
  'overloaded',
  'down-before',
  'down-after',
  'fail-before',
  'fail-after',
  'refuse'
]
const [share = '0.1', milliseconds = '12'] = process.argv.slice(2)
const every = Math.round(1 / Number(share))

/** @type {Map<string, number>} */
const added = new Map()
/** @type {Map<string, number>} */
const asked = new Map()
let lastId = 0

/** @param {string} name */
function faultOf(name) {
  const number = Number(name.replace(/\D/g, ''))
  return number % every === 0 ? faults[(number / every) % faults.length] : undefined
}

/** @param {Map<string, number>} counts @param {string} name */
const count = (counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1)

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', text => {
    body += text
  })
  request.on('end', () => {
    if (request.method === 'GET') {
      response.end(JSON.stringify({ added: [...added], asked: [...asked] }))
      return
    }
    const pet = JSON.parse(body)
    count(asked, pet.name)
    const fault = faultOf(pet.name)
    const answer = () => {
      count(added, pet.name)
      lastId += 1
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: lastId, ...pet }))
    }
    /** @param {number} status @param {Record<string, string>} [headers] */
    const refuse = (status, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ code: 'made_up', message: 'a made-up error', status }))
    }
    if (fault?.endsWith('-after')) count(added, pet.name)
    const isFirst = asked.get(pet.name) === 1
    const act = () => {
      if (fault?.startsWith('drop')) return response.destroy()
      if (fault?.startsWith('reset')) return request.socket.resetAndDestroy()
      if (fault?.startsWith('down')) return refuse(503)
      if (fault?.startsWith('fail')) return refuse(500)
      if (fault === 'refuse') return refuse(422)
      if (fault === 'too-many' && isFirst) return refuse(429, { 'retry-after': '0' })
      if (fault === 'overloaded' && isFirst) return refuse(503, { 'retry-after': '0' })
      answer()
    }
    setTimeout(act, fault === 'delay' ? Number(milliseconds) * 10 : Number(milliseconds))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : '')
})
