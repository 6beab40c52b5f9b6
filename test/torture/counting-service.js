/**
 * A service that counts how often it adds each pet, and that fails for some pets. The number in the
 * name of a pet determines the fault, so a resumed run gets the same faults.
 */
import { createServer } from 'node:http'

/** @typedef {(response: import('node:http').ServerResponse) => void} Ending */

/** @type {Ending} */
const drop = response => void response.destroy()
/** @type {Ending} */
const reset = response => void response.socket?.resetAndDestroy()
/** @type {(status: number, headers?: Record<string, string>) => Ending} */
const refuse = (status, headers) => response => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ code: 'made_up', message: 'a made-up error', status }))
}
const later = { 'retry-after': '0' }

/**
 * Whether the pet is added before the request ends like this, and whether only its first one does.
 *
 * @type {{ end?: Ending, isAdded?: boolean, isFirstOnly?: boolean, isSlow?: boolean }[]}
 */
const faults = [
  { end: drop },
  { end: drop, isAdded: true },
  { end: reset },
  { end: reset, isAdded: true },
  { isSlow: true },
  { end: refuse(429, later), isFirstOnly: true },
  { end: refuse(503, later), isFirstOnly: true },
  { end: refuse(503) },
  { end: refuse(503), isAdded: true },
  { end: refuse(500) },
  { end: refuse(500), isAdded: true },
  { end: refuse(422) }
]
const [milliseconds = '12'] = process.argv.slice(2)
const every = 20

/** @type {Map<string, number>} */
const added = new Map()
/** @type {Set<string>} */
const asked = new Set()

/** @param {string} name */
function faultOf(name) {
  const number = Number(name.replace(/\D/g, ''))
  return (number % every === 0 && faults[(number / every) % faults.length]) || {}
}

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ added: [...added] }))
    return
  }
  const body = Buffer.concat(await request.toArray()).toString()
  const { name } = JSON.parse(body)
  const { end, isAdded, isFirstOnly, isSlow } = faultOf(name)
  const fails = end !== undefined && !(isFirstOnly && asked.has(name))
  asked.add(name)
  const add = () => added.set(name, (added.get(name) ?? 0) + 1)
  const reply = () => {
    add()
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(body.replace('{', `{"id":${added.size},`))
  }
  if (fails && isAdded) add()
  setTimeout(fails ? () => end(response) : reply, Number(milliseconds) * (isSlow ? 10 : 1))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : '')
})
