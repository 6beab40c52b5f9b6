import type { Socket } from 'node:net'

/** Beyond this, one connection makes room for each new one. Each costs some 100 KB of memory. */
const mostConnections = 500

/**
 * The open connections. If there are too many, those go first that never showed the API key, so
 * that clients without it cannot keep others out.
 */
export class Connections {
  readonly #open = new Set<Socket>()
  /** Those that have not shown the key, the oldest first. */
  readonly #strangers = new Set<Socket>()

  /** Adds a new connection, or closes it if there is no room. */
  admit(socket: Socket): void {
    if (this.#open.size >= mostConnections) {
      const [oldest] = this.#strangers
      if (oldest === undefined) {
        socket.destroy()
        return
      }
      this.#remove(oldest)
      oldest.destroy()
    }
    this.#open.add(socket)
    this.#strangers.add(socket)
    socket.once('close', () => this.#remove(socket))
  }

  /** Called with each connection that showed the key. */
  trust(socket: Socket): void {
    this.#strangers.delete(socket)
  }

  #remove(socket: Socket): void {
    this.#open.delete(socket)
    this.#strangers.delete(socket)
  }
}
