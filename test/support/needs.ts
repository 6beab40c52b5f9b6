import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { describe, test } from 'vitest'

/** What is not found by its name in PATH. */
const files: Readonly<Record<string, string>> = {
  'bash-completion': '/usr/share/bash-completion/bash_completion',
}

/** Where programs are looked for. Debian has servers in a directory that is not in the PATH of all users. */
export const programPath = [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)

/** What depends on who runs the tests. Only root has no excuse to be without. */
const powers: Readonly<Record<string, () => boolean>> = {
  root: isRoot,
  'mounts of its own': () => {
    const [command = '', ...rest] = [...withOwnMounts, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]
    return spawnSync(command, rest).status === 0
  },
  'a network of its own': () => {
    const [command = '', ...rest] = [...withOwnNetwork, 'ip', 'link', 'set', 'lo', 'up']
    return spawnSync(command, rest, { env: { PATH: programPath } }).status === 0
  },
  'PIDs of its own': () => {
    const [command = '', ...rest] = [...withOwnPids, 'true']
    return spawnSync(command, rest).status === 0
  },
}

/** The command under which a program may mount what other programs do not see, until it ends. */
export const withOwnMounts: readonly string[] = isRoot()
  ? ['unshare', '--mount']
  : ['unshare', '--map-root-user', '--mount']

/** The command under which a program has a loopback of its own, which is down, no other network, and its own mounts. */
export const withOwnNetwork: readonly string[] = [...withOwnMounts, '--net']

/** The command under which a program runs in a PID namespace of its own, as in a container. It dies with the command. */
export const withOwnPids: readonly string[] = [
  'unshare',
  ...(isRoot() ? [] : ['--map-root-user']),
  ...['--pid', '--fork', '--kill-child', '--mount-proc'],
]

/** Set in CI, which has installed everything: there a missing program is a fault and not an excuse. */
const mustHaveAll = process.env.PETSTORE_TEST_SKIP_NOTHING === '1'

/**
 * `describe` for tests that need programs of the system, or powers: `needs('tmux')('in a terminal', () => { … })`. Where
 * one is missing they are skipped, and their name says why.
 */
export function needs(...wanted: string[]): (name: string, tests: () => void) => void {
  const missing = wanted.filter((name) => !(powers[name] ?? isInstalled)(name))
  if (missing.length === 0) return describe
  const title = (name: string) => `${name} (needs ${missing.join(', ')})`
  const isExcused = !isRoot() && missing.every((name) => name in powers)
  if (!mustHaveAll || isExcused) return (name, tests) => describe.skip(title(name), tests)
  return (name) =>
    test(title(name), () => {
      throw new Error(`${missing.join(', ')} must be installed here`)
    })
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

export function isInstalled(program: string, searchPath = programPath): boolean {
  const file = files[program] ?? program
  const candidates = isAbsolute(file) ? [file] : searchPath.split(delimiter).map((directory) => join(directory, file))
  return candidates.some((candidate) => isReadableFile(candidate, isAbsolute(file) ? constants.R_OK : constants.X_OK))
}

function isReadableFile(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
