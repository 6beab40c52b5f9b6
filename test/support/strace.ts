interface Fault {
  /** The call of the operating system that fails: `openat`. */
  readonly call: string
  readonly error: 'EIO' | 'EMFILE' | 'ENFILE' | 'ENOMEM' | 'ENOSPC'
  /** Only calls on this file fail. */
  readonly path?: string
  /** Which of these calls fail, counted from 1: `2`, or `2+` for all from the second on. */
  readonly when?: string
}

/** Runs a program, calls of which fail: for `under` of `spawnCli`. */
export function withFault({ call, error, path, when = '1+' }: Fault): string[] {
  const traced = path === undefined ? [] : [`--trace-path=${path}`]
  const inject = `--inject=${call}:error=${error}:when=${when}`
  return ['strace', '-f', '--quiet=all', '-o', '/dev/null', ...traced, `--trace=${call}`, inject]
}
