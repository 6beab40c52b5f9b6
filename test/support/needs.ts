import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { describe, test } from 'vitest'

/** What is not found by its name in PATH. */
const files: Readonly<Record<string, string>> = {
  'bash-completion': '/usr/share/bash-completion/bash_completion',
}

/** Set by `.ci/run`, which has installed everything: there a missing program is a fault and not an excuse. */
const mustHaveAll = process.env.PETSTORE_TEST_SKIP_NOTHING === '1'

/**
 * `describe` for tests that need programs of the system: `needs('tmux')('in a terminal', () => { … })`. Where one is
 * missing they are skipped, and their name says why.
 */
export function needs(...programs: string[]): (name: string, tests: () => void) => void {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return describe
  const title = (name: string) => `${name} (needs ${missing.join(', ')})`
  if (!mustHaveAll) return (name, tests) => describe.skip(title(name), tests)
  return (name) =>
    test(title(name), () => {
      throw new Error(`${missing.join(', ')} must be installed here`)
    })
}

export function isInstalled(program: string, searchPath = process.env.PATH ?? ''): boolean {
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
