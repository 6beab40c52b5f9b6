/**
 * Every way a run can end. This table is the only source of exit codes: the process, `help exit-codes`,
 * `petstore commands` and the man page are made from it; the README has a copy, which a test compares with it.
 */
export const endings = [
  { code: 0, name: 'ok', meaning: 'done' },
  { code: 1, name: 'unexpected', meaning: 'the program itself is at fault' },
  { code: 2, name: 'usage', meaning: 'a mistake in what was typed, or in a file given; no request was made' },
  { code: 3, name: 'rejected', meaning: 'the service did not accept what the request holds' },
  {
    code: 4,
    name: 'auth',
    meaning: 'the key is missing, cannot be sent, or was refused by the service',
  },
  { code: 5, name: 'not-found', meaning: 'there is no such thing at the service, or no longer' },
  {
    code: 6,
    name: 'unreachable',
    meaning: 'the service was not reached, or the connection was lost; nothing was changed there',
  },
  {
    code: 7,
    name: 'service',
    meaning:
      'the service failed, is overloaded, or answered with something outside its contract; nothing was changed there',
  },
  { code: 8, name: 'partial', meaning: 'an import left rows behind: rejected, invalid or doubtful' },
  {
    code: 9,
    name: 'local',
    meaning: 'this machine is the obstacle: a missing setting, a file, a port, the output',
  },
  {
    code: 10,
    name: 'in-doubt',
    meaning: 'a change was asked for and may or may not have been made: look before asking again',
  },
  { code: 130, name: 'interrupted', meaning: 'ended by SIGINT (Ctrl-C)' },
  { code: 143, name: 'interrupted', meaning: 'ended by SIGTERM' },
] as const

/** The name of an ending that is not `ok`; it is also the `code` of an error in JSON. */
export type FailureCode = Exclude<(typeof endings)[number]['name'], 'ok'>

interface FailureDetails {
  /** A command line that can be run as it stands. */
  hint?: string | undefined
  /** The HTTP status and the error code of the service, where it replied. */
  status?: number | undefined
  serviceCode?: string | undefined
  /** Whether running it once more, unchanged, does no harm. */
  isRetryable?: boolean | undefined
  /** For how many seconds the service asked to be left alone. */
  waitSeconds?: number | undefined
  /** The signal behind an interruption. */
  signal?: 'SIGINT' | 'SIGTERM' | undefined
  cause?: unknown
}

/** What a user is told when a run does not succeed: one message, at most one hint, one exit code. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly hint: string | undefined
  readonly status: number | undefined
  readonly serviceCode: string | undefined
  readonly isRetryable: boolean
  readonly waitSeconds: number | undefined
  readonly exitCode: number
  readonly #details: FailureDetails

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Failure'
    this.code = code
    this.hint = details.hint
    this.status = details.status
    this.serviceCode = details.serviceCode
    this.isRetryable = details.isRetryable ?? false
    this.waitSeconds = details.waitSeconds
    this.exitCode = details.signal === 'SIGTERM' ? 143 : exitCodeOf(code)
    this.#details = details
  }

  /** The same with what to run next. */
  withHint(hint: string): Failure {
    return new Failure(this.code, this.message, { ...this.#details, hint })
  }
}

/** For an error that nothing expected, and that only a change of this program can mend. */
export function unexpectedFailure(cause: unknown): Failure {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new Failure(
    'unexpected',
    `this is a fault of petstore: ${message}; please report it, with its version and the command`,
    { hint: 'petstore --version', cause },
  )
}

function exitCodeOf(name: FailureCode): number {
  const ending = endings.find((candidate) => candidate.name === name)
  return ending === undefined ? 1 : ending.code
}
