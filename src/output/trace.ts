import { headerLines, type Request, type Send } from '../model/exchange.ts'

/** Shows every request and its reply in the style of `curl -v`. */
export function traced(send: Send, trace: (lines: string) => Promise<void>): Send {
  const show = (mark: string, head: readonly string[], body: Request['body'] = '') => {
    const text = [...head, '', Buffer.from(body)].join('\n').trimEnd()
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
