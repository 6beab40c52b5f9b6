import type { Duplex } from 'node:stream'

/**
 * How many requests of one connection may wait. Node's parser reads on while they do, so a
 * connection that sends more is closed.
 */
const mostWaitingRequests = 100

interface Line {
  waiting: number
  /** Resolves when all requests so far are answered. */
  last: Promise<void>
}

/**
 * Requests of one connection are answered one after another, so that a list that follows a pet has
 * this pet in it. Those of different connections are answered at the same time.
 */
export class Turns {
  readonly #lines = new WeakMap<Duplex, Line>()

  /**
   * Answers once the earlier requests of this connection are answered, unless no reply can be sent
   * by then.
   */
  take(socket: Duplex, answer: () => Promise<void>): void {
    const line = this.#lineOf(socket)
    if (line.waiting > mostWaitingRequests) socket.destroy()
    if (socket.destroyed) return

    line.waiting += 1
    line.last = line.last.then(async () => {
      if (socket.writable) await answer()
      line.waiting -= 1
    })
  }

  #lineOf(socket: Duplex): Line {
    const known = this.#lines.get(socket)
    if (known !== undefined) return known
    const line: Line = { waiting: 0, last: Promise.resolve() }
    this.#lines.set(socket, line)
    return line
  }
}
