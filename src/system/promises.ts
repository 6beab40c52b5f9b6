/**
 * Settles as the work does, unless the signal aborts first: then it rejects with the signal's
 * reason.
 */
export function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  // Not Promise.race: a promise that never settles, raced again and again, keeps every contender in
  // memory.
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    const stopListening = () => signal.removeEventListener('abort', abort)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(stopListening)
  })
}

/** Resolves once the work has settled or the signal aborts; rejects if the work fails before. */
export async function settledOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await orAborted(work, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Resolves after the given time, unless the signal aborts first: then it rejects with the signal's
 * reason.
 */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  // Most runs never pause, and loading this module takes 1 % of the start.
  const { setTimeout } = process.getBuiltinModule('node:timers/promises')
  return setTimeout(milliseconds, undefined, { signal }).catch(error => {
    throw signal?.aborted ? signal.reason : error
  })
}

/** Creates a value at its first use, and then always returns the same one. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** In seconds, by a clock that is never set. Node's other one would have to be loaded. */
export const uptime = () => process.uptime()
