import type { Reply } from '../model/exchange.ts'
import { parseIfJson } from '../text/json.ts'
import type { Redact } from '../text/visible.ts'

const longestText = 1000

/** The Error in the body of a refusal. */
export function serviceErrorOf({ body }: Reply, redact: Redact) {
  const fields = new Map(Object.entries(Object(parseIfJson(body))))
  const textOf = (name: string) => {
    const text = fields.get(name)
    // Masked first: a key that is cut off would no longer be found.
    return typeof text === 'string' ? redact(text).slice(0, longestText) : undefined
  }
  return { message: textOf('message'), code: textOf('code') }
}
