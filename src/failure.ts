/**
 * Every way a run can end. This table is the only source of exit codes: the process, `help exit-codes`,
 * `petstore commands`, the man page and the README all read it.
 */
export const endings = [
  { code: 0, name: 'ok', meaning: 'done' },
  { code: 1, name: 'unexpected', meaning: 'a fault of this program' },
  { code: 2, name: 'usage', meaning: 'the command line, or a file that it names, is wrong; nothing was sent' },
  { code: 3, name: 'rejected', meaning: "the service refused the request's contents" },
  {
    code: 4,
    name: 'auth',
    meaning: "no key for this environment, a key that can't be sent, or one that the service refused",
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
  { code: 8, name: 'partial', meaning: 'an import in which some rows were rejected, are invalid or in doubt' },
  {
    code: 9,
    name: 'local',
    meaning: 'something on this machine stands in the way: a missing setting, a file, a port, the output',
  },
  {
    code: 10,
    name: 'in-doubt',
    meaning: 'a request that changes things was sent and its outcome is not known: look before repeating it',
  },
  { code: 130, name: 'interrupted', meaning: 'ended by SIGINT (Ctrl-C)' },
  { code: 143, name: 'interrupted', meaning: 'ended by SIGTERM' },
] as const

/** The name of an ending that is not `ok`; it is also the `code` of an error in JSON. */
export type FailureCode = Exclude<(typeof endings)[number]['name'], 'ok'>

interface FailureDetails {
  /** The very command to run next. */
  hint?: string | undefined
  /** The HTTP status and the error code of the service, where it replied. */
  status?: number | undefined
  serviceCode?: string | undefined
  /** Whether the same command may simply be run again. */
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
  }
}

function exitCodeOf(name: FailureCode): number {
  const ending = endings.find((candidate) => candidate.name === name)
  return ending === undefined ? 1 : ending.code
}
