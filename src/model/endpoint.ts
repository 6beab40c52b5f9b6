import { Failure } from '../failure.ts'
import { withoutFinalNewline } from '../text/final-newline.ts'
import { commandLine, type HintOptions } from '../text/shell.ts'

export type ServiceName = 'pets' | 'messages'

/**
 * The URL and the key of one service of an environment, with their descriptions for error messages.
 */
export interface RequestEndpoint {
  readonly service: ServiceName
  /** Without a slash at its end. */
  readonly url: string
  /** Its name in messages if its URL is not a real one. */
  readonly placeName?: string
  /** As `checkKey` returns it. A dry run has none. */
  readonly key?: string | undefined
  /** The key in messages: `the API key in PETSTORE_API_KEY`. */
  readonly describeKey: string
  /** The environment that it belongs to, for the commands in hints. */
  readonly environment: string
  /** The variables that the URL and the key come from, unless they come from the config file. */
  readonly urlVariable?: string | undefined
  readonly keyVariable?: string | undefined
  /** Whether its service honors idempotency keys, so that a change can be repeated safely. */
  readonly isIdempotent?: boolean
  /** During a login: the command that repeats it, with the URLs that are not saved yet. */
  readonly login?: string
}

/** Whether the path of a base URL is what the service describes. */
export const hasUsualPath = (baseUrl: string) => baseUrl.endsWith('/v1')

/** The command that logs in to an environment, for a hint. */
export const loginCommand = (environment: string, options: HintOptions = {}) =>
  commandLine('petstore auth login', { options: { '--env': environment, ...options } })

/** The command that sets an environment, for a hint. */
export const setCommand = (environment: string, options: HintOptions) =>
  commandLine('petstore env set', { paths: [environment], options })

/** An API key that can be sent in a header, without the final newline of `echo` or an editor. */
export function checkKey(text: string, source = 'the API key'): string {
  const key = withoutFinalNewline(text)
  if (key === '') throw new Failure('auth', `${source} is empty`)
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new Failure(
    'auth',
    `${source} cannot be sent: an API key cannot contain spaces or characters beyond ASCII`
  )
}

/**
 * Distinguishes API keys without showing them: 32 bits of a hash are enough for that, and too few
 * to find the key.
 */
export async function fingerprint(key: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
