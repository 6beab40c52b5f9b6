import { randomBytes } from 'node:crypto'
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../failure.ts'
import type { Programs } from './host.ts'
import { commandLine } from './shell.ts'
import { systemErrorCode } from './system-error.ts'

/** How long one holder is waited for. A lock that changes hands is a queue that moves, however many stand in it. */
const patience = 5_000
/** How long a lock that is held for good is waited for: an abandoned one may just be on its way to somebody. */
const shortPatience = 250
const longestPause = 100

/**
 * Runs `section` while no other program is in a section of the same lock.
 *
 * The lock is a symbolic link that points at `PID.TOKEN`: it comes into being at once and whole, where a file would be
 * empty for a moment, and for good after a kill in that moment. The section is synchronous, so no signal handler and no other
 * caller in this program ever sees it half done.
 */
export async function withLock<Result>(path: string, programs: Programs, section: () => Result): Promise<Result> {
  const release = await take(path, programs, patience, (holder) => {
    return `${holder} has held the config's lock for more than ${patience / 1000} seconds: ${path}`
  })
  try {
    return section()
  } finally {
    release()
  }
}

/** Takes the lock until it is given back or this program is dead. `what` is what it stands for, in words. */
export function holdLock(path: string, programs: Programs, what: string): Promise<() => void> {
  return take(path, programs, shortPatience, (holder) => `${holder} is at work on ${what}`)
}

async function take(
  path: string,
  programs: Programs,
  milliseconds: number,
  describe: (holder: string) => string,
): Promise<() => void> {
  const token = tokenOf(programs)
  let holder: string | undefined
  let deadline = performance.now() + milliseconds
  let pause = 5
  while (!claim(path, programs, token)) {
    const seen = readHolder(path)
    if (seen !== undefined && seen !== holder) {
      holder = seen
      deadline = performance.now() + milliseconds
    }
    if (performance.now() > deadline) throw heldFailure(path, describe)
    await wait(pause * (0.5 + Math.random() / 2))
    // A crowd that keeps asking would take the processor from the one who is to give the lock back.
    pause = Math.min(pause * 1.5, longestPause)
  }
  return () => removeIfThere(path)
}

function claim(path: string, programs: Programs, token: string): boolean {
  try {
    symlinkSync(token, path)
    return true
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
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
  if (!claim(guard, programs, tokenOf(programs))) return
  try {
    if (readHolder(path) === holder) removeIfThere(path)
  } finally {
    removeIfThere(guard)
  }
}

function tokenOf({ pid }: Programs): string {
  return `${pid}.${randomBytes(8).toString('hex')}`
}

function readHolder(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    // Given back in the meantime, or something that is no lock of ours.
    if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'EINVAL') return undefined
    throw error
  }
}

function isDead(holder: string, programs: Programs): boolean {
  const pid = holderPid(holder)
  // No program waits for itself: a lock with this program's number is an earlier program's.
  return pid !== undefined && (pid === programs.pid || !programs.isRunning(pid))
}

function holderPid(holder: string | undefined): number | undefined {
  const digits = /^([1-9]\d{0,9})\./.exec(holder ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function heldFailure(path: string, describe: (holder: string) => string): Failure {
  const pid = holderPid(readHolder(path))
  return new Failure('local', describe(pid === undefined ? 'another program' : `another program (process ${pid})`), {
    hint: pid === undefined ? commandLine('rm', { paths: [path] }) : `ps -p ${pid}`,
    isRetryable: true,
  })
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}
