import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, test } from 'vitest'

/**
 * Where to look for programs. Debian installs servers in a directory that is not in the PATH of
 * every user.
 */
export const programPath = [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)

/** What the user who runs the tests may not be allowed to do. Root must be allowed to do it. */
const privileges: Readonly<Record<string, () => boolean>> = {
  root: isRoot,
  'a mount namespace': () => {
    const [command = '', ...rest] = [...withOwnMounts, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]
    return spawnSync(command, rest).status === 0
  },
  'a PID namespace': () => {
    const [command = '', ...rest] = [...withOwnPids, 'true']
    return spawnSync(command, rest).status === 0
  }
}

/**
 * Runs a program in its own mount namespace: other programs do not see its mounts, which end with
 * it.
 */
export const withOwnMounts: readonly string[] = isRoot()
  ? ['unshare', '--mount']
  : ['unshare', '--map-root-user', '--mount']

/**
 * Runs a program in its own PID namespace, as in a container. It is killed when the command ends.
 */
export const withOwnPids: readonly string[] = [
  'unshare',
  ...(isRoot() ? [] : ['--map-root-user']),
  ...['--pid', '--fork', '--kill-child', '--mount-proc']
]

/** Set in CI, where all programs are installed: a missing one is a failure there. */
const failsIfMissing = process.env.PETSTORE_TEST_SKIP_NOTHING === '1'

/**
 * `describe` for tests that need programs or privileges: `needs('tmux')('in a terminal', () => { …
 * })`. If one is missing, the tests are skipped, and their title names it.
 */
export function needs(...wanted: string[]): (name: string, tests: () => void) => void {
  const missing = wanted.filter(name => !(privileges[name] ?? isInstalled)(name))
  if (missing.length === 0) return describe
  const title = (name: string) => `${name} (needs ${missing.join(', ')})`
  const isAllowed = !isRoot() && missing.every(name => name in privileges)
  if (!failsIfMissing || isAllowed) return (name, tests) => describe.skip(title(name), tests)
  return name =>
    test(title(name), () => {
      throw new Error(`${missing.join(', ')} must be installed here`)
    })
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

function isInstalled(program: string): boolean {
  return programPath.split(delimiter).some(directory => isExecutable(join(directory, program)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
