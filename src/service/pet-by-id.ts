import { petByIdRemoval } from '../model/pets.ts'
import { longDate } from '../model/quantities.ts'
import type { Call, Operation } from './operations.ts'
import { petIdOf } from './reading.ts'
import { jsonReply, Refusal, replyOf } from './replies.ts'

/** Told with every reply: RFC 9745, RFC 8594 and RFC 8288. The day of deprecation is ours: the description has none. */
const deprecation = {
  deprecation: `@${Date.parse('2025-12-05') / 1000}`,
  sunset: petByIdRemoval.toUTCString(),
  link: '</v1/pets>; rel="successor-version"',
}

/** The deprecated operation, and what is left of it after its removal. */
export const getPet: Operation = async (call) => {
  const reply = await replyOf(() => findPet(call), call.isPassedOn)
  return { ...reply, headers: { ...reply.headers, ...deprecation } }
}

function findPet({ database, lastPart, now }: Call) {
  if (now() >= petByIdRemoval) {
    const day = longDate(petByIdRemoval)
    throw new Refusal(410, 'gone', `GET /v1/pets/{petId} was removed on ${day}; GET /v1/pets replaces it`)
  }
  const id = petIdOf(lastPart)
  const pet = database.get(id)
  if (pet === undefined) throw new Refusal(404, 'not_found', `there is no animal ${id}`)
  return jsonReply(200, pet)
}
