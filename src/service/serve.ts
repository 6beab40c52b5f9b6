import { openDatabase, type PetDatabase } from './database.ts'
import { type FaultPlan, withFaults } from './faults.ts'
import { createHandler } from './handler.ts'
import { acceptOnly } from './key-check.ts'
import { openLocalDatabase } from './local.ts'
import { describeAnswered } from './log.ts'
import { explainListening } from './port.ts'
import { type Answered, startServer } from './server.ts'

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  /** The file that was asked for; without it the local environment's is used, where it can be. */
  readonly data: string | undefined
  readonly localPath: string | undefined
  readonly samples: boolean
  readonly faults: FaultPlan | undefined
  now(): Date
  /** Is told a line a request, where anyone wants to know. */
  readonly log: ((line: string) => void) | undefined
}

export interface Serving {
  /** `http://127.0.0.1:4010` */
  readonly origin: string
  /** The file; undefined where everything is in memory. */
  readonly path: string | undefined
  /** Lets what is under way finish. */
  close(): Promise<void>
}

/** Puts the service of this program on a port. */
export async function serve({ host, port, key, faults, now, log, ...place }: ServeOptions): Promise<Serving> {
  const { database, path } = await openPlace(place)
  const ending = new AbortController()
  const acceptsKey = acceptOnly(key)
  const handler = createHandler({ database, acceptsKey, now })
  const answer = faults ? withFaults({ handler, plan: faults, acceptsKey, ending: ending.signal }) : handler
  try {
    const onAnswered = log && ((answered: Answered) => log(describeAnswered(answered)))
    const server = await startServer({ host, port, answer, onAnswered })
    const close = async () => {
      ending.abort()
      await server.close()
      database.close()
    }
    return { origin: server.origin, path, close }
  } catch (error) {
    database.close()
    throw explainListening(error, host, port)
  }
}

type Place = Pick<ServeOptions, 'data' | 'localPath' | 'samples'>

async function openPlace({ data, localPath, samples }: Place): Promise<{ database: PetDatabase; path?: string }> {
  if (data === ':memory:') return { database: await openDatabase(data, { samples }) }
  if (data !== undefined) return { database: await openDatabase(data, { samples, isNamed: true }), path: data }
  const { database, isKept } = await openLocalDatabase(localPath, { samples })
  return isKept && localPath !== undefined ? { database, path: localPath } : { database }
}
