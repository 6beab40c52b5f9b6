import { setImmediate } from 'node:timers/promises'
import type { Reply } from '../model/exchange.ts'
import type { PetDatabase } from './database.ts'
import { jsonReply } from './replies.ts'

type Query = Parameters<PetDatabase['list']>[0]

const mostReplies = 32
const largestReply = 256 * 1024

/**
 * Answers for lists, and remembers the replies for as long as nothing changes in the database, whoever changes it:
 * asking it that costs a hundredth of reading the animals and writing them as JSON.
 */
export function createLister(database: PetDatabase): (query: Query) => Promise<Reply> {
  const replies = new Map<string, Reply>()
  let version = ''
  let nextVersion: Promise<string> | undefined
  /** Asked once for all requests that have come by then. */
  const askVersion = () => {
    nextVersion ??= setImmediate().then(() => {
      nextVersion = undefined
      return database.version()
    })
    return nextVersion
  }

  return async (query) => {
    const current = await askVersion()
    if (current !== version || replies.size >= mostReplies) replies.clear()
    version = current

    const name = `${query.status} ${query.limit}`
    const known = replies.get(name)
    if (known !== undefined) return known
    const reply = jsonReply(200, database.list(query))
    if (reply.body.byteLength <= largestReply) replies.set(name, reply)
    return reply
  }
}
