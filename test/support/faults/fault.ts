import type { Socket } from 'node:net'
import type { Certificates } from '../certificates.ts'
import { rawServer } from '../raw-server.ts'

/** The exit code, and the number of requests that arrive with `--retries 1`. */
export type End = readonly [code: number | undefined, requests: number]

/** A way in which the network can fail. */
export interface Fault {
  /** What happens, for the documentation. */
  readonly what: string
  readonly list: End
  readonly add: End
  /** Variables that point the program to the fault, and how many requests have arrived. */
  readonly open: (certificates: Certificates) => Promise<OpenFault>
}

interface OpenFault {
  readonly env: Readonly<Record<string, string>>
  readonly requests: () => number
  readonly nodeArguments?: readonly string[]
}

/** What the program did about it. */
export interface Run {
  readonly code: number | null
  readonly requests: number
  readonly stdout: string
  readonly error: { readonly message: string; readonly hint?: string; readonly exitCode: number }
}

export type Answer = Parameters<typeof rawServer>[0]

/** Faults of the service itself, which is a raw server. */
export const atServer = (what: string, list: End, add: End, answer: Answer): Fault => ({
  what,
  list,
  add,
  open: async () => {
    const server = await rawServer(answer)
    return { env: { PETSTORE_BASE_URL: `${server.url}/v1` }, requests: server.requests }
  }
})

/** Faults that only the deadline ends have this word in their description. */
export const isSilent = ({ what }: Fault) => /silent|slowly|accepts no/.test(what)

export const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** Writes, and leaves the connection open. */
export const writes = (text: string) => (socket: Socket) => void socket.write(text)

/** Writes and closes. */
export const ends = (text: string | Uint8Array) => (socket: Socket) => void socket.end(text)

/** Writes and resets. */
export const resets = (text: string) => (socket: Socket) =>
  void socket.write(text, () => socket.resetAndDestroy())

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
