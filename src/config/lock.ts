import { randomBytes } from 'node:crypto'
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../failure.ts'
import type { Programs } from '../host.ts'
import { errorCode, quoted } from './fault.ts'

const patience = 5_000

/**
 * Runs `section` while no other program is in a section of the same lock.
 *
 * The lock is a symbolic link that points at `PID.TOKEN`: it comes into being at once and whole, where a file would be
 * empty for a moment, and for good after a kill in that moment. The section is synchronous, so no signal handler and no other
 * caller in this program ever sees it half done.
 */
export async function withLock<Result>(path: string, programs: Programs, section: () => Result): Promise<Result> {
  const deadline = performance.now() + patience
  while (!claim(path, programs)) {
    if (performance.now() > deadline) throw heldFailure(path)
    await wait(2 + Math.random() * 18)
  }
  try {
    return section()
  } finally {
    removeIfThere(path)
  }
}

function claim(path: string, programs: Programs): boolean {
  try {
    symlinkSync(`${programs.pid}.${randomBytes(8).toString('hex')}`, path)
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    const holder = readHolder(path)
    if (holder !== undefined && isDead(holder, programs)) removeAbandoned(path, holder, programs)
    return false
  }
}

/**
 * Several programs may find the same lock abandoned, and the slowest must not remove the lock that the fastest has taken
 * since. So removing this very holder's lock is itself done under a lock, which can be abandoned in turn.
 */
function removeAbandoned(path: string, holder: string, programs: Programs): void {
  const guard = `${path}.${holder}`
  if (!claim(guard, programs)) return
  try {
    if (readHolder(path) === holder) removeIfThere(path)
  } finally {
    removeIfThere(guard)
  }
}

function readHolder(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    // Given back in the meantime, or something that is no lock of ours.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EINVAL') return undefined
    throw error
  }
}

function isDead(holder: string, programs: Programs): boolean {
  const pid = holderPid(holder)
  // Sections here are synchronous: a lock with this program's number that is seen at all is an earlier program's.
  return pid !== undefined && (pid === programs.pid || !programs.isRunning(pid))
}

function holderPid(holder: string | undefined): number | undefined {
  const digits = /^([1-9]\d{0,9})\./.exec(holder ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function heldFailure(path: string): Failure {
  const pid = holderPid(readHolder(path))
  const holder = pid === undefined ? 'another program' : `another program (process ${pid})`
  return new Failure(
    'local',
    `${holder} has held the config's lock for more than ${patience / 1000} seconds: ${path}`,
    {
      hint: pid === undefined ? `rm ${quoted(path)}` : `ps -p ${pid}`,
      isRetryable: true,
    },
  )
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
