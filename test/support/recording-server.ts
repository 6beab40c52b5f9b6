import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface RecordedRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Uint8Array
}

/** A reply as a value; `json` is sent as JSON, `body` unchanged. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
  readonly json?: unknown
}

/**
 * Answers with a value, or through the raw response, which it can also close early or leave open.
 */
export type Handler = (
  request: RecordedRequest,
  response: ServerResponse,
  raw: IncomingMessage
) => Answer | undefined | Promise<Answer | undefined>

export interface RecordingServer {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string
  readonly port: number
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[]
  /** The number of connections opened so far. */
  connections(): number
  /** Resolves when this many requests have arrived. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/**
 * A real loopback server that records requests. It answers every request with the same answer or
 * handler, or each with the next of a list. A request beyond the list gets 599, which no test
 * expects. The server closes when the test ends.
 */
export async function recordingServer(
  answers: Answer | Handler | readonly (Answer | Handler)[]
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = []
  const waiting = new Set<() => void>()
  let opened = 0

  const server = createServer(async (raw, response) => {
    const bytes = await buffer(raw).catch(() => undefined)
    if (bytes === undefined) return
    const { method = '', url = '', headers } = raw
    const request = { method, path: url, headers, body: bytes.toString(), bytes }
    const index = requests.push(request) - 1
    for (const look of waiting) look()
    const answer = isList(answers) ? answers[index] : answers
    try {
      const value =
        typeof answer === 'function'
          ? await answer(request, response, raw)
          : (answer ?? beyondTheList)
      if (value !== undefined) reply(response, value)
    } catch (error) {
      reply(response, { status: 599, body: `the test's handler threw: ${String(error)}` })
    }
  })
  server.on('connection', () => {
    opened += 1
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  const close = async () => {
    if (!server.listening) return
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  onTestFinished(close)

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => opened,
    received: count =>
      new Promise(resolve => {
        const look = () => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close
  }
}

const beyondTheList: Answer = { status: 599, body: 'the test has no answer for this request' }

function isList(
  answers: Answer | Handler | readonly (Answer | Handler)[]
): answers is readonly (Answer | Handler)[] {
  return Array.isArray(answers)
}

function reply(response: ServerResponse, { status = 200, headers = {}, body, json }: Answer): void {
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, ...headers })
  response.end(json === undefined ? body : JSON.stringify(json))
}
