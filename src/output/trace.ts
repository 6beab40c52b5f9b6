import { headerLines, type Request, type Send } from '../model/exchange.ts'
import type { Redact } from '../text/visible.ts'

const longestBody = 2000

/** Shows every request and its reply in the style of `curl -v`. */
export function traced(send: Send, redact: Redact, trace: (lines: string) => Promise<void>): Send {
  const show = (mark: string, head: readonly string[], body: Request['body'] = '') => {
    // Masked first: a key that is cut off would no longer be found.
    const whole = redact(Buffer.from(body).toString())
    const rest = whole.length - longestBody
    const shown = rest > 0 ? `${whole.slice(0, longestBody)}… (${rest} more characters)` : whole
    const text = [...head, '', shown].join('\n').trimEnd()
    return trace(`${mark} ${text.replaceAll('\n', `\n${mark} `)}`)
  }
  return async request => {
    const { method, url, headers, body } = request
    // A key that is too short to be redacted is hidden too.
    const shown = { ...headers, authorization: 'Bearer ***' }
    const head = [`${method} ${url}`, ...headerLines(shown)]
    await show('>', head, body)
    const begun = Date.now()
    const reply = await send(request)
    const status = `${reply.status} (${Date.now() - begun} ms)`
    const replyHead = [status, ...headerLines(reply.headers)]
    await show('<', replyHead, reply.body)
    return reply
  }
}
