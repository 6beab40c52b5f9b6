import { pause } from '../platform/promises.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'

interface GroupCommitOptions {
  /** Commits all changes of the work, or none if it throws. */
  transaction<Result>(work: () => Result): Result
  /** Ends all waits. */
  readonly signal: AbortSignal
}

interface WaitingChange {
  make(): unknown
  /** Reports that it is on disk. */
  resolve(result: unknown): void
  reject(error: unknown): void
  /** When to give up if another program has locked the file. */
  readonly deadline: number
}

const pauseMilliseconds = 10

/**
 * Changes that arrive at the same moment share one commit and its wait for the disk, which is most
 * of the cost of a change under load. Each is answered only after the commit. If another program
 * has locked the file, all changes wait together, on a timer.
 */
export function createGroupCommit({ transaction, signal }: GroupCommitOptions) {
  let waiting: WaitingChange[] = []

  const commitWaiting = async () => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      waiting = commitGroup(transaction, group)
      // A change that arrives during the pause joins the waiting ones.
      if (waiting.length > 0) await pause(pauseMilliseconds, signal)
    }
  }
  const failWaiting = (error: unknown) => {
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  /**
   * Makes a change, and resolves when it is on disk. It waits for another program that has locked
   * the file only as long as its patience lasts.
   */
  return <Result>(make: () => Result, patienceMilliseconds: number) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => commitWaiting().catch(failWaiting))
      const deadline = performance.now() + patienceMilliseconds
      waiting.push({ make, resolve: resolve as WaitingChange['resolve'], reject, deadline })
    })
}

/**
 * Commits a group, or each of its changes alone if one of them fails. Returns those that wait for
 * another program.
 */
function commitGroup(
  transaction: GroupCommitOptions['transaction'],
  group: readonly WaitingChange[],
): WaitingChange[] {
  let isAttempting = false
  try {
    const results = transaction(() => {
      isAttempting = true
      const made = group.map(({ make }) => make())
      isAttempting = false
      return made
    })
    for (const [index, { resolve }] of group.entries()) resolve(results[index])
    return []
  } catch (error) {
    // Nothing was changed. Only the change at fault should fail, so each is tried alone.
    if (isAttempting && group.length > 1)
      return group.flatMap((change) => commitGroup(transaction, [change]))
    const now = performance.now()
    const mayWait = ({ deadline }: WaitingChange) =>
      sqliteErrorKind(error) === 'busy' && deadline > now
    for (const change of group) if (!mayWait(change)) change.reject(error)
    return group.filter(mayWait)
  }
}
