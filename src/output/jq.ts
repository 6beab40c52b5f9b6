import { type JqResult, loadJq } from 'jq-wasm'
import { Failure } from '../failure.ts'
import { parseJson, stringifyJson } from '../model/json.ts'
import { visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import type { Format } from './formats.ts'
import type { Reporter } from './reporter.ts'
import { print } from './stream.ts'
import { renderJson, renderNdjson } from './text-formats.ts'
import type { View } from './view.ts'

/** Compact and without colors; `--` because the expression may begin with a dash. */
const flags = ['--compact-output', '--monochrome-output', '--']

/**
 * Finds a bad expression before anything is sent: without input, jq compiles it and runs nothing.
 */
export async function checkJq(expression: string, option = '--jq'): Promise<void> {
  const { exitCode, stderr } = await run('', expression)
  if (exitCode === 0) return
  throw new Failure('usage', `${option}: ${messageIn(stderr)}`)
}

/**
 * Whether the expression of `--until` gives a result that is neither `false` nor `null`. A number
 * or an array is refused: jq takes 0 and [] for true, so the wait would end by mistake.
 */
export async function testByJq(
  value: unknown,
  expression: string,
  withoutSignals: Interruption['released']
): Promise<boolean> {
  const json = stringifyJson(value)
  const { stdout, stderr, exitCode } = await run(json, expression, withoutSignals)
  if (exitCode !== 0) throw jqFailure('--until', stderr, value, 'pet')
  const result = stdout.split('\n').find(line => !['', 'false', 'null'].includes(line))
  if (result === undefined) return false
  const advice = /^[-\d]/.test(result)
    ? 'a number, which is always true: compare it, for example length > 0'
    : 'an array, which is always true: test its elements, for example any(.[]; .id == 3)'
  if (/^[-\d[]/.test(result)) throw new Failure('local', `--until: the result is ${advice}`)
  return true
}

interface JqContext {
  readonly host: Host
  readonly report: Pick<Reporter, 'notice'>
  readonly interruption: Interruption
  readonly view: View
  readonly format: Format
  /** What an object is, for errors: `pet`. */
  readonly noun?: string | undefined
}

/**
 * Runs jq's own language over values and prints a line per result: strings as they are, everything
 * else compact, or indented for a person. Like jq itself, it also prints the results before an
 * error in the expression.
 */
export async function printByJq(
  values: readonly unknown[],
  expression: string,
  { host, report, interruption, view, format, noun }: JqContext
): Promise<void> {
  const json = values.map(value => stringifyJson(value, view)).join('\n')
  const { stdout, stderr, exitCode } = await run(json, expression, interruption.released)
  const isTerminal = view.width !== undefined
  const isIndented = isTerminal && format !== 'ndjson'
  const lines = linesIn(stdout).map(line => {
    const result = parseJson(line)
    // In a terminal the text must not act as control codes; in a pipe or a file it must be exact.
    if (typeof result === 'string') return `${isTerminal ? visibleText(result) : result}\n`
    return isIndented ? renderJson(result, view) : renderNdjson([result], view)
  })
  await print(host, 'stdout', lines.join(''))
  if (exitCode !== 0) throw jqFailure('--jq', stderr, values[0], noun)
  // Output of the expression itself, for example from `debug`.
  for (const remark of linesIn(stderr)) await report.notice('jq', remark)
}

function linesIn(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

function jqFailure(option: string, stderr: string, value: unknown, noun?: string): Failure {
  const problem = messageIn(stderr)
  const what = kindInWords(value, noun)
  return new Failure('local', `${option}: ${problem} (the value is ${what})`)
}

/** `an array of pets`, `a pet`, `a number` */
function kindInWords(value: unknown, noun?: string): string {
  if (Array.isArray(value)) return noun === undefined ? 'an array' : `an array of ${noun}s`
  if (value === null) return 'null'
  if (typeof value === 'object') return noun === undefined ? 'an object' : `a ${noun}`
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`
}

/** Leaves signals to the system while jq blocks this program, so that Ctrl-C can end it. */
async function run(
  json: string,
  expression: string,
  withoutSignals: Interruption['released'] = work => work()
): Promise<JqResult> {
  // jq would silently ignore everything after the NUL.
  if (expression.includes('\0'))
    throw new Failure('usage', '--jq: the expression contains a NUL character')
  // jq-wasm also prints its failures here, and has no option for that.
  const { console } = globalThis
  const { error: printError } = console
  console.error = () => {}
  try {
    const jq = await loadJq()
    return await withoutSignals(async () => jq.raw(replaceLoneSurrogates(json), expression, flags))
  } catch (error) {
    // jq aborts only without memory, and with too little it does not start.
    const isOutOfMemory =
      error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)
    if (!isOutOfMemory) throw error
    throw new Failure('local', '--jq: jq ran out of memory', { cause: error })
  } finally {
    console.error = printError
  }
}

/**
 * jq's message as one line, without the parts about its own command line. A message that repeats
 * for many values is shown once.
 */
function messageIn(stderr: string): string {
  const lines = stderr.split('\n').map(line => {
    return line.replace(/^jq: error(?: \(at [^)]*\))?:? ?/, '').trim()
  })
  const told = lines.filter(line => !/^(|\^+|jq: \d+ compile errors?)$/.test(line))
  return [...new Set(told)].join(' ') || 'the expression failed'
}

/**
 * JSON allows half a surrogate pair, but jq refuses it. The replacement character takes its place,
 * as in UTF-8.
 */
function replaceLoneSurrogates(json: string): string {
  const escapes =
    /\\(?:\\|u[dD][89abAB][\da-fA-F]{2}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|u[dD][c-fC-F][\da-fA-F]{2})/g
  return json.replace(escapes, found => (found.length === 6 ? '\ufffd' : found))
}
