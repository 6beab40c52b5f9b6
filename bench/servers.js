import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * Listens on any free port and prints the URL as a line of JSON, as `petstore serve` does.
 *
 * @param {import('node:net').Server} server
 */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : address
    console.log(JSON.stringify({ messagesUrl: `http://127.0.0.1:${port}` }))
  })
}

/**
 * Starts a program that prints its URL as a line of JSON.
 *
 * @param {readonly string[]} argv its file, relative to this one, and its arguments
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 */
export async function startServer([program = '', ...argv], options = {}) {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn(process.execPath, [path, ...argv], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, url: String(JSON.parse(line).messagesUrl) }
}
