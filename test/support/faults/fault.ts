import type { Socket } from 'node:net'
import type { AttemptResult } from '../../../src/client/retry-policy.ts'
import type { Certificates } from '../certificates.ts'
import { rawServer } from '../raw-server.ts'

/** A way in which the network can fail. */
export interface Fault {
  readonly name: string
  /** What happens, for the documentation. */
  readonly what: string
  /** The result of an attempt, in the terms of the retry policy; left out if no attempt is made. */
  readonly result?: AttemptResult
  /**
   * The exit code and the number of requests with `--retries 1`, for `pets list` and for `pets
   * add`.
   */
  readonly list: readonly [code: number, requests: number]
  readonly add: readonly [code: number, requests: number]
  /** Whether only the deadline ends the attempt. */
  readonly needsDeadline?: boolean
  open(certificates: Certificates | undefined): Promise<OpenFault>
}

export interface OpenFault {
  /** Variables that point the program to the fault. */
  readonly env: Readonly<Record<string, string>>
  readonly requests: () => number
  readonly nodeArguments?: readonly string[]
}

/** A fault of the service itself, which is a raw server. */
export async function atServer(...parts: Parameters<typeof rawServer>): Promise<OpenFault> {
  const server = await rawServer(...parts)
  return { env: { PETSTORE_BASE_URL: `${server.url}/v1` }, requests: server.requests }
}

export const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** Writes, and leaves the connection open. */
export const writes =
  (...pieces: (string | Uint8Array)[]) =>
  (socket: Socket) => {
    for (const piece of pieces) socket.write(piece)
  }

/** Writes and closes. */
export const endsWith = (text: string | Uint8Array) => (socket: Socket) => void socket.end(text)

/** Writes without end, as fast as the other side reads. */
export const pours = (start: string, piece: string | Uint8Array) => (socket: Socket) => {
  const pour = () => {
    while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', pour)
  }
  socket.write(start)
  pour()
}

/** Writes a little at a time, without end. */
export const drips = (start: string, piece: string) => (socket: Socket) => {
  socket.write(start)
  const timer = setInterval(() => socket.write(piece), 50)
  socket.on('close', () => clearInterval(timer))
}
