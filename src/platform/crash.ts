import type { Host } from './host.ts'

/** A fault that reached nobody: thrown in a callback, or in a promise that was forgotten. */
interface Crash {
  /** Rejects with it, so that it is told as any other fault is, the keys in it covered. */
  readonly happened: Promise<never>
  stop(): void
}

export function listenForCrash(host: Host): Crash {
  let stop = () => {}
  const happened = new Promise<never>((_, reject) => {
    stop = host.onCrash(reject)
  })
  // Nobody may be waiting for it any more when it comes.
  happened.catch(() => {})
  return { happened, stop }
}
