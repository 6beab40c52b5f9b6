import { createHash } from 'node:crypto'
import type { Reply } from '../model/exchange.ts'
import { listLimits } from '../model/pets.ts'
import type { PetDatabase } from './database.ts'
import { jsonReply, Refusal } from './http.ts'
import page from './page.html'

/** What the extras work with. */
export interface Tools {
  readonly database: PetDatabase
  /** The latest requests, the oldest first. */
  readonly requests?: () => readonly object[]
  /** Puts everything back to the start; undefined where the data is not only for tests. */
  readonly reset?: (() => Promise<void>) | undefined
}

/** What this service has beside the interface: no faults, no latency. */
interface Extra {
  readonly method: 'GET' | 'POST'
  /** Only what is below `/_local` needs the key. */
  readonly path: string
  answer(tools: Tools): Reply | Promise<Reply>
}

/** It holds no data, because pages of any origin may read it. */
function pageReply() {
  const [, script = ''] = page.split(/<\/?script>/)
  const digest = createHash('sha256').update(script).digest('base64')
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(page.replace('SCRIPT_DIGEST', digest))
  }
}

const describe = async () => {
  // Loaded on request: it is rarely needed, and making the schemas takes time.
  const { openApiDocument } = await import('./openapi.ts')
  return jsonReply(200, openApiDocument())
}

const get = (path: string, answer: Extra['answer']): Extra => ({ method: 'GET', path, answer })

export const extras: readonly Extra[] = [
  get('/', pageReply),
  get('/openapi.json', describe),
  get('/v1/openapi.json', describe),
  get('/health', () => jsonReply(200, { status: 'ok' })),
  get('/_local/requests', ({ requests }) => jsonReply(200, requests?.())),
  // For the page, which leaves no trace in the requests.
  get('/_local/pets', ({ database }) =>
    database.read(tables => jsonReply(200, tables.list({ limit: listLimits.maximum })))
  ),
  {
    method: 'POST',
    path: '/_local/reset',
    answer: async ({ reset }) => {
      if (reset === undefined)
        throw new Refusal(409, 'not_resettable', 'the data of --env local is not reset')
      await reset()
      return { status: 204, headers: {}, body: new Uint8Array() }
    }
  }
]
