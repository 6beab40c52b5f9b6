import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const key = 'a-key-for-the-bench'
export const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
export const connections = 50

/**
 * The number of requests per second that autocannon gets answered. npx fetches it at first use.
 *
 * @param {string} url
 * @param {{ method: 'GET' | 'POST', body?: string }} request
 * @param {{ seconds: number, width?: number }} load
 */
export async function requestsPerSecond(url, { method, body }, { seconds, width = connections }) {
  const options = ['--json', '--connections', `${width}`, '--duration', `${seconds}`]
  const head = Object.entries(headers).flatMap(([name, value]) => ['--headers', `${name}=${value}`])
  const content = body === undefined ? [] : ['--body', body]
  const argv = [...options, '--method', method, ...head, ...content, url]
  const { stdout } = await run('npx', ['--yes', 'autocannon@9', ...argv], { maxBuffer: 1e8 })
  const result = JSON.parse(stdout)
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} error replies, ${result.errors} errors`)
  return result['2xx'] / result.duration
}
