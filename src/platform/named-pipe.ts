import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { systemErrorCode } from './errno.ts'
import { pause } from './promises.ts'

/**
 * Opens a file for reading, or standard input for `-`. A named pipe normally opens only when it has
 * a writer, and that wait, in a separate thread, would survive Ctrl-C and delay the end of the
 * program. So it opens immediately, and its stream waits for the writer.
 */
export function openToRead(path: string, host: { readonly stdin: Readable }): Readable {
  if (path === '-') return host.stdin
  if (!statSync(path).isFIFO()) return createReadStream(path)
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd: file, readable: true, writable: false })
}

const pollingInterval = 50

/**
 * Opens a named pipe for writing: waits for its reader until the signal aborts, and then rejects
 * with its reason.
 */
export async function openPipeToWrite(path: string, signal: AbortSignal): Promise<Writable> {
  for (;;) {
    try {
      const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      return new Socket({ fd: file, readable: false, writable: true })
    } catch (error) {
      if (systemErrorCode(error) !== 'ENXIO') throw error
    }
    await pause(pollingInterval, signal)
  }
}
