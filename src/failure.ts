/**
 * Every way a run can end: the only source of exit codes, for the process, help, `petstore
 * commands` and the man page.
 */
export const endings = [
  { code: 0, name: 'ok', meaning: 'done' },
  { code: 1, name: 'unexpected', meaning: 'a bug in this program' },
  {
    code: 2,
    name: 'usage',
    meaning:
      'the command line, the variable of an option, or a file that the command line names is wrong; nothing was sent',
  },
  { code: 3, name: 'rejected', meaning: 'the service rejected the contents of the request' },
  {
    code: 4,
    name: 'auth',
    meaning: 'no API key, a key that cannot be sent, or one that the service refused',
  },
  { code: 5, name: 'not-found', meaning: 'the pet or the URL does not exist, or no longer exists' },
  {
    code: 6,
    name: 'unreachable',
    meaning: 'no connection to the service, or it was lost; nothing was changed',
  },
  {
    code: 7,
    name: 'service',
    meaning: 'the service failed, is overloaded, or broke its contract; nothing was changed',
  },
  { code: 8, name: 'partial', meaning: 'an import has rejected, invalid or doubtful rows' },
  {
    code: 9,
    name: 'local',
    meaning:
      'a problem on this machine: a URL, a config, journal or database file, a port, the output',
  },
  {
    code: 10,
    name: 'in-doubt',
    meaning: 'a change was sent and its outcome is unknown: check before repeating it',
  },
  { code: 130, name: 'interrupted', meaning: 'interrupted by SIGINT (Ctrl-C)' },
  { code: 143, name: 'interrupted', meaning: 'interrupted by SIGTERM' },
] as const

/** The name of an ending that is not `ok`; it is also the `code` of an error in JSON. */
export type FailureCode = Exclude<(typeof endings)[number]['name'], 'ok'>

/** Where a request failed on its way: the steps in their order. */
export type RequestStage = 'name lookup' | 'connection' | 'TLS' | 'proxy' | 'reply'

export interface UnknownName {
  readonly name: string
  readonly known: readonly string[]
  /**
   * It says where requests go or what is saved, so a hint repeats it as it was typed if it changes
   * something.
   */
  readonly isValue?: boolean
  /** The option that can hold the name, if it comes from a variable or the config file. */
  readonly option?: string
}

interface FailureDetails {
  /** A command line that can be run unchanged. */
  hint?: string | undefined
  /** The HTTP status and the error code of the service, if it replied. */
  status?: number | undefined
  serviceCode?: string | undefined
  /** Whether the same command can safely be run again. */
  isRetryable?: boolean | undefined
  /** The number of seconds that the service asked to wait. */
  waitSeconds?: number | undefined
  /** Where the request failed; undefined if none was sent, or this machine is the cause. */
  stage?: RequestStage | undefined
  /** A name that does not exist, and the names that do, for a suggestion. */
  unknownName?: UnknownName | undefined
  /** The command line lacks a value, which the hint has a placeholder for. */
  isIncomplete?: boolean | undefined
  /** A change that was made although the run failed, with the id of the pet or message. */
  change?: { readonly id?: bigint | string | undefined } | undefined
  /** Whether the user has read about it already. */
  isReported?: boolean | undefined
  /** The signal behind an interruption. */
  signal?: 'SIGINT' | 'SIGTERM' | undefined
  cause?: unknown
}

/** A run that fails: one message, at most one hint, one exit code. */
export class Failure extends Error {
  readonly code: FailureCode
  /** A caller that knows what to run next may add it. */
  hint: string | undefined
  readonly status: number | undefined
  readonly serviceCode: string | undefined
  readonly isRetryable: boolean
  readonly waitSeconds: number | undefined
  readonly stage: RequestStage | undefined
  readonly unknownName: UnknownName | undefined
  readonly isIncomplete: boolean
  readonly change: FailureDetails['change']
  readonly isReported: boolean
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
    this.stage = details.stage
    this.unknownName = details.unknownName
    this.isIncomplete = details.isIncomplete ?? false
    this.change = details.change
    this.isReported = details.isReported ?? false
    this.exitCode =
      details.signal === 'SIGTERM' ? 143 : (endings.find(({ name }) => name === code)?.code ?? 1)
  }
}

/** A failure is returned unchanged; any other error is a bug in this program. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const message = error instanceof Error ? error.message : String(error)
  const absent = ['WebAssembly', 'crypto'].find(
    (name) => error instanceof ReferenceError && !(name in globalThis),
  )
  if (absent !== undefined) {
    const problem = `${absent} is switched off in this Node: run petstore without that option (see NODE_OPTIONS)`
    return new Failure('local', problem, { cause: error })
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // The launcher's error for a part of the program that it cannot load.
  if (code === 'ERR_PETSTORE_INSTALLATION') return new Failure('local', message, { cause: error })
  if (code === 'EMFILE' || code === 'ENFILE') {
    const problem = `this machine has no file descriptor left (${code})`
    const hint = code === 'EMFILE' ? 'ulimit -n 1024' : undefined
    return new Failure('local', problem, { hint, cause: error })
  }
  // Only Node's permission model has this code.
  if (code === 'ERR_ACCESS_DENIED') {
    const problem =
      "Node's permission model does not allow what this command needs (see NODE_OPTIONS)"
    return new Failure('local', problem, { cause: error })
  }
  return new Failure(
    'unexpected',
    `this is a bug in petstore: ${message}; please report it with the version and the command`,
    { hint: 'petstore --version', cause: error },
  )
}

/** The failure that work ends with, as a finding. */
export async function findingOf(work: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return asFinding(error)
  }
}

/** An interruption is no finding, and a bug is none either. */
export function asFinding(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'interrupted') return error
  throw error
}

/** For `catch`, where nothing depends on the work: undefined for a failure, but not for a bug. */
export function ignoreFailure(error: unknown): undefined {
  if (asFailure(error).code === 'unexpected') throw error
}

/** Ends a dry run: the request was shown, and no reply will come. */
export class NothingSent extends Error {
  constructor() {
    super('nothing was sent')
    this.name = 'NothingSent'
  }
}
