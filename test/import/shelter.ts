import { join } from 'node:path'
import { Sqlite } from '../../src/system/sqlite.ts'
import { key, startService } from '../service/running-service.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { type Fate, startFront } from './front.ts'
import type { Row } from './model.ts'

export type Shelter = Awaited<ReturnType<typeof openShelter>>

/** The real local service, where lost replies, kills and other accounts can be had. */
export async function openShelter({ hasKeys }: { readonly hasKeys: boolean }) {
  const services = new Map<string, string>()
  const databases = new Map<string, string>()
  const opened: { close(): Promise<void> }[] = []
  const openAccount = async (apiKey: string) => {
    const path = join(temporaryDirectory(), 'service.db')
    databases.set(apiKey, path)
    const service = await startService({ path })
    services.set(apiKey, service.origin)
    opened.push(service)
    return apiKey
  }
  await openAccount(key)
  const front = await startFront(services)
  const urlOf = (port: number, host = '127.0.0.1') => `http://${host}:${port}/v1`
  const shelter = {
    hasKeys,
    /** The ids of the pets that an import has reported as added. */
    claimed: new Set<number>(),
    /** The rows that count as added by --skip, after the ids of their pets. */
    decisions: new Set<string>(),
    url: urlOf(front.port),
    /** The same address by another name. */
    otherUrl: urlOf(front.port, 'localhost'),
    /** The same service at another port. */
    openOtherPort: async () => urlOf((await startFront(services)).port),
    /** Another account at the service, with pets of its own. Returns its API key. */
    openAccount,
    /** The pets at the service by their ids. */
    pets: (apiKey = key) => petsIn(databases.get(apiKey) ?? ''),
    count: (apiKey = key) => shelter.pets(apiKey).size,
    /** The replies for pets of these names are lost, after they were added. */
    losesRepliesFor(...names: readonly string[]) {
      front.fateOf = name => (names.includes(name) ? 'lost' : fateByName(name))
    },
    /** Calls back when it got this many pets. The last one is added, and nothing is answered. */
    stopsAfter(count: number, stopped: () => void) {
      let received = 0
      front.fateOf = name => {
        received += 1
        if (received < count) return fateByName(name)
        if (received > count) return 'dropped'
        stopped()
        return 'lost'
      }
    },
    /** Does not answer when it got this many pets, until it is well again. */
    holdsAfter(count: number) {
      let received = 0
      return new Promise<void>(holding => {
        const well = new Promise<Fate>(resolve => {
          shelter.isWell = () => {
            front.fateOf = fateByName
            resolve('passed')
          }
        })
        front.fateOf = name => {
          received += 1
          if (received === count) holding()
          return received < count ? fateByName(name) : well
        }
      })
    },
    isWell() {
      front.fateOf = fateByName
    },
    async close() {
      for (const { close } of opened) await close()
    }
  }
  shelter.isWell()
  return shelter
}

/** The service takes no pet whose name begins with this. */
const fateByName = (name: string): Fate => (name.startsWith('bad') ? 'rejected' : 'passed')

function petsIn(path: string) {
  const database = new Sqlite(path)
  const sql = 'SELECT id, name, category_id AS category, status FROM pets'
  const rows = database.rows<{ id: bigint; name: string; category: bigint; status: string }>(sql)
  database.close()
  return new Map(
    rows.map(({ id, name, category, status }): [number, Row] => [
      Number(id),
      [name, String(category), status]
    ])
  )
}
