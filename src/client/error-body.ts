import type { Reply } from '../model/exchange.ts'
import { parseIfJson } from '../model/json.ts'
import type { Redact } from '../model/visible.ts'

const longestText = 1000

/** The service's own Error, or problem details (RFC 9457), in the body of a refusal. */
export function serviceErrorOf({ body }: Reply, redact: Redact) {
  const fields = new Map(Object.entries(Object(parseIfJson(body))))
  const textOf = (...names: string[]) => {
    const text = names.map(name => fields.get(name)).find(value => typeof value === 'string')
    // Masked first: a key that is cut off would no longer be found.
    return text && redact(String(text)).slice(0, longestText)
  }
  return { message: textOf('message', 'detail', 'title'), code: textOf('code', 'type') }
}
