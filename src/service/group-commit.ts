import type { PetDatabase } from './database.ts'

/** Makes a change, and resolves when it is on disk. */
export type Commit = <Result>(change: () => Result) => Promise<Result>

interface Waiting {
  attempt(): () => void
  fail(error: unknown): void
}

/**
 * Changes that come at the same moment share one commit, and so one wait for the disk: under load that is most of what
 * a change costs. Each is answered only after it.
 */
export function createGroupCommit(database: PetDatabase): Commit {
  let waiting: Waiting[] = []

  const commitAll = () => {
    const group = waiting
    waiting = []
    if (!commitTogether(database, group)) for (const single of group) commitTogether(database, [single])
  }
  return (change) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(commitAll)
      waiting.push({
        attempt: () => {
          const result = change()
          return () => resolve(result)
        },
        fail: reject,
      })
    })
}

/** False where one of several changes failed: nothing was changed, and each is to be tried alone. */
function commitTogether(database: PetDatabase, group: readonly Waiting[]): boolean {
  let isOneAtFault = false
  try {
    const done = database.inOneCommit(() => {
      isOneAtFault = true
      const attempts = group.map(({ attempt }) => attempt())
      isOneAtFault = false
      return attempts
    })
    for (const succeed of done) succeed()
  } catch (error) {
    if (isOneAtFault && group.length > 1) return false
    for (const { fail } of group) fail(error)
  }
  return true
}
