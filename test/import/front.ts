import { connect, type Socket } from 'node:net'
import { key } from '../service/running-service.ts'
import { rawServer } from '../support/raw-server.ts'

/** What happens to one POST. `lost`: it is carried out, and the reply never arrives. */
export type Fate = 'passed' | 'lost' | 'rejected' | 'dropped'

const refusal = '{"code":"bad","message":"no such pet","status":422}'
const rejected = `HTTP/1.1 422 No\r\ncontent-type: application/json\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`

/**
 * A server on loopback in front of services: each is an account with an API key of its own. It passes
 * everything on, except what `fateOf` decides otherwise.
 */
export async function startFront(services: ReadonlyMap<string, string>) {
  const front = { fateOf: (_name: string): Fate | Promise<Fate> => 'passed' }
  const sockets = new Map<Socket, { readonly service: Socket; isLost: boolean }>()

  const serviceOf = (client: Socket, account: string) => {
    const known = sockets.get(client)
    if (known) return known
    const service = connect(Number(new URL(services.get(account) ?? '').port), '127.0.0.1')
    const made = { service, isLost: false }
    sockets.set(client, made)
    service.on('data', reply => (made.isLost ? client.destroy() : client.write(reply)))
    service.on('error', () => client.destroy())
    client.on('close', () => {
      sockets.delete(client)
      service.destroy()
    })
    return made
  }

  const server = await rawServer(async (client, { method, head }) => {
    const [, account = ''] = /authorization: Bearer (\S+)/i.exec(head) ?? []
    const fate = method === 'POST' ? await front.fateOf(nameIn(head)) : 'passed'
    if (fate === 'rejected') client.write(rejected)
    else if (fate === 'dropped' || client.destroyed) client.destroy()
    else {
      const made = serviceOf(client, account)
      made.isLost = fate === 'lost'
      made.service.write(head.replace(`Bearer ${account}`, `Bearer ${key}`), 'latin1')
    }
  })
  return Object.assign(front, { port: server.port })
}

const nameIn = (request: string) =>
  String(JSON.parse(request.slice(request.indexOf('\r\n\r\n') + 4)).name)
