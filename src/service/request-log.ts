import type { Answered } from './server.ts'

/** How much of a request a line shows. */
const mostCharacters = 300

/** How many lines may wait until they are written. */
const mostWaitingLines = 1000

/**
 * A line for each request, with the time it took. Where nothing reads the lines, they would fill the
 * memory: beyond some, they are dropped and counted. `write` resolves once a line is written.
 */
export function createRequestLog(write: (line: string) => Promise<void>) {
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
  return ({ request, result, milliseconds }: Answered): void => {
    if (waiting < mostWaitingLines)
      void log(`${shown(request)} ${result} ${milliseconds.toFixed(1)} ms`)
    else dropped += 1
  }
}

/** Up to the value of a parameter that the service does not have: any of them may be a key. */
const foreignParameter = /([?&](?!limit=|status=)[^=&?]*=)[^&]*/g

function shown(request: string): string {
  const text = request.replace(foreignParameter, '$1***')
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}
