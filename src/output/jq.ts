import { type JqResult, loadJq } from 'jq-wasm/inline'
import { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { print } from './stream.ts'
import { escapeActive, visibleText } from './visible.ts'

interface JqLook {
  /** In a terminal a text must not act; in a pipe or a file it must be exact. */
  readonly isTerminal: boolean
}

interface JqRun {
  /** A line a result, those before a failure included: strings as they are, all else compact. */
  readonly text: string
  /** What the expression itself had to say on stderr, by `debug` and the like. */
  readonly remarks: readonly string[]
  readonly failure: Failure | undefined
}

/** Compact, in black and white; the expression may begin with a dash. */
const flags = ['--compact-output', '--monochrome-output', '--']

/** Finds a bad expression before anything is sent: with no input at all, jq compiles it and runs nothing. */
export async function checkJq(expression: string): Promise<void> {
  const { exitCode, stderr } = await run('', expression)
  if (exitCode === 0) return
  throw new Failure('usage', `--jq: ${problemOf(stderr)}`)
}

export interface JqSurroundings {
  readonly host: Host
  readonly notice: (code: string, message: string) => Promise<void>
  /** Leaves signals to the system for as long as a work goes on that keeps this program from hearing them. */
  readonly withoutSignals: Interruption['released']
}

/** Prints what jq makes of a JSON text; what came before an error of the expression too, as jq itself does. */
export async function printByJq(
  json: string,
  expression: string,
  { host, notice, withoutSignals }: JqSurroundings,
): Promise<void> {
  // An expression may never end, and Ctrl-C must be able to end it.
  const { text, remarks, failure } = await withoutSignals(() =>
    runJq(json, expression, { isTerminal: host.terminal.stdout }),
  )
  await print(host, 'stdout', text)
  for (const remark of remarks) await notice('jq', remark)
  if (failure !== undefined) throw failure
}

/** Runs jq's own language over a JSON text. */
export async function runJq(json: string, expression: string, { isTerminal }: JqLook): Promise<JqRun> {
  const { stdout, stderr, exitCode } = await run(replaceLoneSurrogates(json), expression)
  const show = isTerminal ? visibleText : (text: string) => text
  const results = stdout === '' ? [] : stdout.split('\n')
  return {
    text: results
      .map((result) => `${result.startsWith('"') ? show(JSON.parse(result)) : escapeActive(result)}\n`)
      .join(''),
    remarks: exitCode === 0 && stderr !== '' ? stderr.split('\n') : [],
    failure: exitCode === 0 ? undefined : new Failure('local', `--jq: ${problemOf(stderr)}`),
  }
}

async function run(json: string, expression: string): Promise<JqResult> {
  // C ends a text at its NUL, and the rest would be left out without a word.
  if (expression.includes('\0')) throw new Failure('usage', '--jq: the expression holds a NUL')
  const jq = await loadJq()
  return jq.raw(json, expression, flags)
}

/** jq's message without what is about its own command line, as one line. */
function problemOf(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^jq: error(?: \(at [^)]*\))?:? ?/, '').trim())
  const telling = lines.filter((line) => line !== '' && !/^(\^+|jq: \d+ compile errors?)$/.test(line))
  return telling.join(' ') || 'the expression failed'
}

/** jq refuses half a surrogate pair, which JSON allows; what UTF-8 has for it is the replacement character. */
function replaceLoneSurrogates(json: string): string {
  const escapes = /\\(?:\\|u[dD][89abAB][\da-fA-F]{2}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|u[dD][c-fC-F][\da-fA-F]{2})/g
  return json.replace(escapes, (found) => (found.length === 6 ? '\ufffd' : found))
}
