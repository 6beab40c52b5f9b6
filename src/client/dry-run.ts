import type { Transport } from '../model/exchange.ts'
import { curlCommand } from './curl.ts'

/** Ends a dry run: the request was shown, and no reply will come. */
export class NothingSent extends Error {
  constructor() {
    super('nothing was sent')
    this.name = 'NothingSent'
  }
}

/** Shows what would be sent, as a command, and sends nothing. */
export function createDryRun(show: (command: string) => Promise<void>): Transport {
  return {
    send: async (request) => {
      await show(curlCommand(request))
      throw new NothingSent()
    },
    close: async () => {},
  }
}
