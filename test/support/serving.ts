import { type RunningCli, startCli } from './spawn-cli.ts'
import { temporaryDirectory } from './temp.ts'

interface Reach {
  readonly url: string
  readonly messagesUrl: string
  readonly apiKey?: string
}

interface Serving extends RunningCli {
  /** The parsed line on stdout. */
  readonly reach: Reach
  readonly home: string
  /** Sends a request with the key to a path such as `/v1/pets`. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Starts the built program's `serve`, on a free port unless `argv` has one, and waits until it is ready. */
export async function startServing(
  argv: readonly string[] = [],
  { home = temporaryDirectory(), env = {} }: { home?: string; env?: Record<string, string> } = {}
): Promise<Serving> {
  const port = argv.includes('--port') ? [] : ['--port', '0']
  const running = startCli(['serve', ...port, '--json', ...argv], { home, env })
  running.child.stdin.end()
  await running.printed('stdout', '\n')
  const reach: Reach = JSON.parse(running.stdout())
  const key = reach.apiKey ?? env.PETSTORE_API_KEY
  return {
    ...running,
    reach,
    home,
    fetch: (path, init = {}) =>
      fetch(`${reach.messagesUrl}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...init.headers }
      })
  }
}

/** A `POST` with a JSON body. */
export const posting = (value: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' }
})
