import type { Answered } from './server.ts'

/** How much of a target a line shows. */
const mostCharacters = 300

/** How many lines may wait until they are written. */
const mostWaitingLines = 1000

/** Writes a line; resolves once it is written. */
export type WriteLine = (line: string) => Promise<void>

/**
 * A line for each request. Where nothing reads the lines, they would fill the memory: beyond some,
 * they are dropped and counted.
 */
export function createRequestLog(write: WriteLine): (answered: Answered) => void {
  let waiting = 0
  let dropped = 0
  const log = async (line: string) => {
    waiting += 1
    await write(line)
    waiting -= 1
    if (waiting > 0 || dropped === 0) return
    const count = dropped
    dropped = 0
    await log(`${count} lines were dropped, because nothing read them`)
  }
  return (answered) => {
    if (waiting < mostWaitingLines) void log(describeAnswered(answered))
    else dropped += 1
  }
}

/** What was requested, the status, and the time it took. */
function describeAnswered({ method, target, result, milliseconds }: Answered): string {
  const request = method === undefined ? 'unreadable request' : `${method} ${shown(target)}`
  return `${request} ${result} ${milliseconds.toFixed(1)} ms`
}

function shown(target: string): string {
  const text = withoutForeignValues(target)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}

/** The values of parameters that the service does not have are hidden: any of them may be a key. */
function withoutForeignValues(target: string): string {
  const start = target.indexOf('?') + 1
  if (start === 0) return target
  const parameters = target.slice(start).split('&')
  return target.slice(0, start) + parameters.map(withoutForeignValue).join('&')
}

function withoutForeignValue(parameter: string): string {
  const end = parameter.indexOf('=')
  const name = parameter.slice(0, end)
  const isOurs = end < 0 || name === 'limit' || name === 'status'
  return isOurs ? parameter : `${name}=***`
}
