import { type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import { pause } from '../platform/wait.ts'

/** Makes a change, and resolves when it is on disk. */
type Commit = <Result>(change: () => Result) => Promise<Result>

interface Change {
  /** Makes the change. The returned function tells its caller that it is on disk. */
  attempt(): () => void
  fail(error: unknown): void
  /** When to give up if another program has locked the file. */
  readonly deadline: number
}

const pauseMilliseconds = 10

/**
 * Changes that come at the same moment share one commit, and so one wait for the disk: under load, this wait is most of the
 * cost of a change. Each is answered only after the commit. If another program has locked the file, all changes wait
 * together, on a timer.
 */
export function createGroupCommit(connection: Sqlite, patienceMilliseconds: number): Commit {
  let waiting: Change[] = []

  const commitWaiting = async () => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      waiting = commitGroup(connection, group)
      // A change that comes during the pause joins those that wait.
      if (waiting.length > 0) await pause(pauseMilliseconds)
    }
  }
  return (change) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(commitWaiting)
      waiting.push({
        attempt: () => {
          const result = change()
          return () => resolve(result)
        },
        fail: reject,
        deadline: performance.now() + patienceMilliseconds,
      })
    })
}

/** Commits a group, or each of its changes alone if one of them fails. Returns those that wait for another program. */
function commitGroup(connection: Sqlite, group: readonly Change[]): Change[] {
  let isAttempting = false
  try {
    const attempted = connection.transaction(() => {
      isAttempting = true
      const attempts = group.map(({ attempt }) => attempt())
      isAttempting = false
      return attempts
    })
    for (const succeed of attempted) succeed()
    return []
  } catch (error) {
    // Nothing was changed, and only the change at fault may fail.
    if (isAttempting && group.length > 1) return group.flatMap((change) => commitGroup(connection, [change]))
    const now = performance.now()
    const mayWait = ({ deadline }: Change) => sqliteErrorKind(error) === 'busy' && deadline > now
    for (const change of group) if (!mayWait(change)) change.fail(error)
    return group.filter(mayWait)
  }
}
