import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Beyond this, one connection makes room for each new one. Each costs some 100 KB of memory. */
const mostConnections = 500

/**
 * How many requests of one connection may wait. Node's parser reads on while they do, so a
 * connection that sends more is closed.
 */
const mostWaitingRequests = 100

/**
 * A connection of a client. Its requests are answered one after another, so that a list that follows
 * a pet has this pet in it. Those of different connections are answered at the same time.
 */
export class Connection {
  readonly #socket: Duplex
  /** How many requests wait or are being answered. */
  #unanswered = 0
  /** Resolves when all requests so far are answered. */
  #allAnswered = Promise.resolve()
  /** Whether it has shown the API key. */
  isTrusted = false
  /** The reply to the request that arrived last. */
  latest: ServerResponse | undefined

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  /**
   * Answers once the earlier requests of this connection are answered, unless no reply can be sent
   * by then.
   */
  take(response: ServerResponse, answer: () => Promise<void>): void {
    this.latest = response
    if (this.#unanswered > mostWaitingRequests) this.#socket.destroy()
    if (this.#socket.destroyed) return

    this.#unanswered += 1
    this.#allAnswered = this.#allAnswered.then(async () => {
      if (this.#socket.writable) await answer()
      this.#unanswered -= 1
    })
  }
}

/**
 * The open connections. If there are too many, those go first that never showed the API key, so
 * that clients without it cannot keep others out.
 */
export class Connections {
  /** The oldest first. */
  readonly #open = new Map<Duplex, Connection>()

  of(socket: Duplex): Connection | undefined {
    return this.#open.get(socket)
  }

  /**
   * Adds a new connection. If there is no room, closes the oldest that is not trusted, or this one
   * if all are.
   */
  admit(socket: Duplex): void {
    if (this.#open.size >= mostConnections) {
      const [oldest] = [...this.#open].find(([, { isTrusted }]) => !isTrusted) ?? [socket]
      this.#open.delete(oldest)
      oldest.destroy()
    }
    if (socket.destroyed) return
    this.#open.set(socket, new Connection(socket))
    socket.once('close', () => this.#open.delete(socket))
  }
}
