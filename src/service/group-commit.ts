/** Commits all changes of the work, or none if it throws. */
type Transaction = <Result>(work: () => Result) => Result

interface WaitingChange {
  readonly make: () => unknown
  /** Reports that it is on disk. */
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Changes that arrive at the same moment share one commit and its wait for the disk, which is most
 * of the cost of a change under load. Returns a function that makes a change, and resolves when it
 * is on disk.
 */
export function createGroupCommit(transaction: Transaction) {
  let waiting: WaitingChange[] = []
  const commitWaiting = () => {
    const group = waiting
    waiting = []
    commitGroup(transaction, group)
  }
  return <Result>(make: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(commitWaiting)
      waiting.push({ make, resolve, reject })
    })
}

/** Commits a group, or each of its changes alone if one of them fails. */
function commitGroup(transaction: Transaction, group: readonly WaitingChange[]) {
  let isMaking = false
  try {
    const results = transaction(() => {
      isMaking = true
      const made = group.map(({ make }) => make())
      isMaking = false
      return made
    })
    for (const [index, { resolve }] of group.entries()) resolve(results[index] as never)
  } catch (error) {
    // Nothing was changed. Only the change at fault should fail, so each is tried alone.
    if (isMaking && group.length > 1) for (const change of group) commitGroup(transaction, [change])
    else for (const { reject } of group) reject(error)
  }
}
