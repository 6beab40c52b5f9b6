import { type Jq, loadJq } from 'jq-wasm'
import { Failure } from '../failure.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { once } from '../system/promises.ts'
import { parseJson, stringifyJson } from '../text/json.ts'
import { visibleText } from '../text/visible.ts'
import { print } from './stream.ts'
import { renderNdjson } from './text-formats.ts'
import type { View } from './view.ts'

/** Finds a bad expression before anything is sent: without input, jq compiles it and runs nothing. */
export async function checkJq(expression: string, option = '--jq'): Promise<void> {
  const jq = await loadedJq()
  const { exitCode, stderr } = rawResult(jq, '', expression, option)
  if (exitCode === 0) return
  throw new Failure('usage', `${option}: ${messageIn(stderr)}`)
}

/** The last line is empty. */
const notTrue = ['', 'false', 'null']

/**
 * Whether the expression of `--until` gives a result that is neither `false` nor `null`. A number
 * or an array is refused: jq takes 0 and [] for true, so the wait would end by mistake.
 */
export async function testByJq(
  value: unknown,
  expression: string,
  interruption: Interruption
): Promise<boolean> {
  const { stdout, failure } = await run([value], expression, '--until', interruption)
  if (failure !== undefined) throw failure
  const results = stdout.split('\n')
  const result = results.find(line => !notTrue.includes(line))
  if (result === undefined) return false
  if (!/^[-\d[]/.test(result)) return true
  const problem = 'a number or a list is always true in jq; compare it, such as length > 0'
  throw new Failure('local', `--until: ${problem}`)
}

/**
 * Prints a line for each result: strings as they are, everything else compact. As jq does, it also
 * prints the results before an error.
 */
export async function printByJq(
  values: readonly unknown[],
  expression: string,
  view: View,
  { host, interruption }: { readonly host: Host; readonly interruption: Interruption }
): Promise<void> {
  const { stdout, failure } = await run(values, expression, '--jq', interruption, view)
  const isTerminal = view.width !== undefined
  const lines = stdout === '' ? [] : stdout.split('\n')
  const texts = lines.map(line => {
    const result = parseJson(line)
    if (typeof result !== 'string') return renderNdjson([result], view)
    const text = isTerminal ? visibleText(result) : result
    return `${text}\n`
  })
  await print(host, 'stdout', texts.join(''))
  if (failure !== undefined) throw failure
}

/** The same instance for the check and the values: it takes longer to start than to run. */
const loadedJq = once(loadJq)

/** The expression may begin with a dash. */
const flags = ['--compact-output', '--monochrome-output', '--']

/** The option is for messages. */
async function run(
  values: readonly unknown[],
  expression: string,
  option: string,
  interruption: Interruption,
  view?: View
) {
  const jq = await loadedJq()
  const input = values.map(value => stringifyJson(value, view)).join('\n')
  const { stdout, stderr, exitCode } = interruption.withoutListening(() =>
    rawResult(jq, input, expression, option)
  )
  if (exitCode === 0) return { stdout }
  const kind = Array.isArray(values[0]) ? 'array' : typeof values[0]
  const problem = `${option}: ${messageIn(stderr)} (the value is of the type ${kind})`
  return { stdout, failure: new Failure('local', problem) }
}

function rawResult(jq: Jq, input: string, expression: string, option: string) {
  try {
    return jq.raw(input, expression, flags)
  } catch (cause) {
    // jq aborts only without memory, also while it compiles.
    throw new Failure('local', `${option}: jq ran out of memory`, { cause })
  }
}

/**
 * jq's message as one line, without the parts about its own command line, and without a value that jq
 * cut: the beginning of an API key would not be masked.
 */
function messageIn(stderr: string) {
  const label = /^jq: (?:error(?: \(at [^)]*\))?:? ?)?/
  const other = /^(|\^+|\d+ compile errors?)$/
  const lines = stderr.split('\n').map(line => line.replace(label, '').trim())
  const message = lines.filter(line => !other.test(line)).join(' ')
  return message.replace(/ \(.*\.{3}["\]}]*\)/, '')
}
