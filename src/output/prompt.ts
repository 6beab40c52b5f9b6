import { confirm, isCancel, password, text } from '@clack/prompts'
import { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'

/** The problem with an answer, which is then prompted for again. */
type FindProblem = (answer: string) => string | undefined

interface PromptOptions {
  readonly host: Host
  readonly signal: AbortSignal
  /** Throws the refusal where prompts are off. */
  readonly requireInput: (refusal: Failure) => void
}

/** Where prompts are off, the refusal is thrown. */
export type OpenPrompt = (refusal: Failure) => ReturnType<typeof createPrompt>

/** Questions go to stderr: stdout is for data. */
function createPrompt({ host, signal }: PromptOptions) {
  const common = { input: host.stdin, output: host.stderr, signal }
  const orCancelled = async <Answer>(asked: Promise<Answer>): Promise<Exclude<Answer, symbol>> => {
    const answer = await asked
    if (isCancel(answer)) throw signal.reason ?? new Failure('interrupted', 'interrupted')
    return answer as Exclude<Answer, symbol>
  }
  const valid = (find: FindProblem) => ({ validate: (answer = '') => find(answer) })
  return {
    /** The answer does not show on the screen. */
    secret: (message: string, find: FindProblem) =>
      orCancelled(password({ message, ...common, ...valid(find) })),
    line: (message: string, find: FindProblem) =>
      orCancelled(text({ message, ...common, ...valid(find) })),
    confirm: (message: string) => orCancelled(confirm({ message, initialValue: false, ...common }))
  }
}

export const promptOpener =
  (options: PromptOptions): OpenPrompt =>
  refusal => {
    options.requireInput(refusal)
    return createPrompt(options)
  }
