/**
 * Every way a run can end: the only source of exit codes, for the process, help, `petstore
 * commands` and the man page. Each has a code, a name and a meaning.
 */
export const endings = [
  [0, 'ok', 'done'],
  [1, 'unexpected', 'a bug in this program'],
  [
    2,
    'usage',
    'the command line, the variable of an option, or a file that the command line names is wrong; nothing was sent'
  ],
  [3, 'rejected', 'the service rejected the contents of the request'],
  [4, 'auth', 'no API key, a key that cannot be sent, or one that the service refused'],
  [5, 'not-found', 'the pet or the URL does not exist, or no longer exists'],
  [
    6,
    'unreachable',
    'no connection to the service, or it was lost; nothing was changed, except by an import'
  ],
  [
    7,
    'service',
    'the service failed, is overloaded, or broke its contract; nothing was changed, except by an import'
  ],
  [8, 'partial', 'an import has rejected, invalid, doubtful, known or changed rows'],
  [
    9,
    'local',
    'a problem on this machine: a URL, a config, journal or database file, a port, the output'
  ],
  [10, 'in-doubt', 'a change was sent and its outcome is unknown: check before repeating it'],
  [11, 'inconclusive', 'a list that may lack pets (--complete), or a wait that ran out (--wait)'],
  [130, 'interrupted', 'interrupted by SIGINT (Ctrl-C)'],
  [143, 'interrupted', 'interrupted by SIGTERM']
] as const

/** The name of an ending that is not `ok`; it is also the `code` of an error in JSON. */
export type FailureCode = Exclude<(typeof endings)[number][1], 'ok'>

/** A run that fails: one message, at most one hint, one exit code. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly exitCode: number
  /** A command line that can be run unchanged. A caller that knows what to run next may add it. */
  hint: string | undefined
  /** The HTTP status and the error code of the service, if it replied. */
  readonly status: number | undefined
  readonly serviceCode: string | undefined
  /** Whether the same command can safely be run again. */
  readonly isRetryable: boolean = false
  /** The number of seconds that the service asked to wait. */
  readonly waitSeconds: number | undefined
  /**
   * Where the request failed on its way: the steps in their order. Undefined if none was sent, or
   * this machine is the cause.
   */
  readonly stage: 'name lookup' | 'connection' | 'TLS' | 'proxy' | 'reply' | undefined
  /**
   * A name that does not exist, and the names that do, for a suggestion. A value says where requests
   * go or what is saved, so a hint repeats it as it was typed if it changes something.
   */
  readonly unknownName: { name: string; known: readonly string[]; isValue?: boolean } | undefined
  /** A change that was made although the run failed, with the id of the pet or message. */
  readonly change: { readonly id?: bigint | string | undefined } | undefined
  /** Whether the user has read about it already. */
  readonly isReported: boolean = false

  constructor(
    code: FailureCode,
    message: string,
    { cause, ...details }: Partial<Omit<Failure, 'code' | 'name' | 'message' | 'stack'>> = {}
  ) {
    super(message, { cause })
    this.code = code
    this.exitCode = endings.find(([, name]) => name === code)?.[0] ?? 1
    Object.assign(this, details)
  }
}

/**
 * A failure is returned unchanged. A system call that no step of a command expects to fail is a
 * problem of this machine; any other error is a bug in this program.
 */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Error && 'syscall' in error)
    return new Failure('local', message, { cause: error })
  const report = 'please report it with the version and the command'
  return new Failure('unexpected', `this is a bug in petstore: ${message}; ${report}`, {
    hint: 'petstore --version',
    cause: error
  })
}

/** An interruption is no finding, and a bug is none either. */
export function asFinding(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'interrupted') return error
  throw error
}

/** Ends a dry run: the request was shown, and no reply will come. */
export class NothingSent extends Error {}
