import { confirm, password, text } from '@clack/prompts'
import { Failure } from '../failure.ts'
import type { Host } from '../host.ts'

/** Questions to the person at the terminal. They are asked on stderr: stdout is for data. */
export interface Prompt {
  /** An answer that never shows on the screen. */
  secret(question: string): Promise<string>
  line(question: string, placeholder?: string): Promise<string>
  confirm(question: string): Promise<boolean>
}

export function createPrompt(host: Host, signal: AbortSignal): Prompt {
  const streams = { input: host.stdin, output: host.stderr, signal }
  return {
    secret: async (message) => answered(await password({ message, mask: '*', ...streams })),
    line: async (message, placeholder) =>
      answered(await text({ message, ...(placeholder === undefined ? {} : { placeholder }), ...streams })),
    confirm: async (message) => answered(await confirm({ message, initialValue: false, ...streams })),
  }
}

/** A symbol is the library's word for Ctrl-C. */
function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer === 'symbol') throw new Failure('interrupted', 'interrupted', { signal: 'SIGINT' })
  return answer as Exclude<Answer, symbol>
}
