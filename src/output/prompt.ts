import { confirm, password, select, text } from '@clack/prompts'
import { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import { visibleLine } from './visible.ts'

/** Asks questions in the terminal, on stderr: stdout is for data. A question may contain any text, such as a path. */
export interface Prompt {
  /** The answer does not show on the screen. */
  secret(question: string, details?: Pick<LineDetails, 'problemWith'>): Promise<string>
  line(question: string, details?: LineDetails): Promise<string>
  choice<Value extends string>(question: string, choices: readonly Choice<Value>[]): Promise<Value>
  confirm(question: string): Promise<boolean>
}

interface LineDetails {
  readonly placeholder?: string
  /** What is wrong with an answer, to ask for it again; undefined if it is right. */
  readonly problemWith?: (answer: string) => string | undefined
}

interface Choice<Value> {
  readonly value: Value
  readonly label: string
}

export function createPrompt(host: Host, signal: AbortSignal): Prompt {
  const streams = { input: host.stdin, output: host.stderr, signal }
  /** The library reads Ctrl-C as a key, not a signal, and returns a symbol for it. */
  const answered = <Answer>(answer: Answer): Exclude<Answer, symbol> => {
    signal.throwIfAborted()
    if (typeof answer === 'symbol') throw new Failure('interrupted', 'interrupted', { signal: 'SIGINT' })
    return answer as Exclude<Answer, symbol>
  }
  return {
    secret: async (question, { problemWith } = {}) =>
      answered(await password({ message: visibleLine(question), mask: '*', ...checkedBy(problemWith), ...streams })),
    line: async (question, { placeholder, problemWith } = {}) => {
      const hint = placeholder === undefined ? {} : { placeholder }
      return answered(await text({ message: visibleLine(question), ...hint, ...checkedBy(problemWith), ...streams }))
    },
    choice: async (question, choices) => {
      const options = choices.map(({ value, label }) => ({ value: value as string, label }))
      const answer = answered(await select({ message: visibleLine(question), options, ...streams }))
      return choices.find(({ value }) => value === answer)?.value ?? neverChosen(answer)
    },
    confirm: async (question) =>
      answered(await confirm({ message: visibleLine(question), initialValue: false, ...streams })),
  }
}

const checkedBy = (problemWith: LineDetails['problemWith']) =>
  problemWith && { validate: (answer: string | undefined) => problemWith(answer ?? '') }

function neverChosen(answer: string): never {
  throw new TypeError(`'${answer}' is not among the choices`)
}
