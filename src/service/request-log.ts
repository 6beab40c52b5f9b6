import type { Answered } from './server.ts'

const mostRequests = 1000
const mostBytes = 16 * 1024

/** The latest requests, for tests of programs that send them. */
export function createRequestLog() {
  let requests: object[] = []
  return {
    add: ({ time, method, path, result, body }: Answered): void => {
      if (path.startsWith('/_local')) return
      if (requests.length >= mostRequests) requests.shift()
      requests.push({
        time: time.toISOString(),
        method,
        path,
        // A reply that was lost has no status.
        status: typeof result === 'number' ? result : null,
        body: Buffer.from(body.subarray(0, mostBytes)).toString()
      })
    },
    /** The oldest first. */
    list: (): readonly object[] => requests,
    clear: (): void => {
      requests = []
    }
  }
}
