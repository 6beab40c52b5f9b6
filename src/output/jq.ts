import { loadJq } from 'jq-wasm'
import { Failure } from '../failure.ts'
import { parseJson, stringifyJson } from '../model/json.ts'
import { visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Format } from './formats.ts'
import { print } from './stream.ts'
import { renderJson, renderNdjson } from './text-formats.ts'
import type { View } from './view.ts'

/** Finds a bad expression before anything is sent: without input, jq compiles it and runs nothing. */
export async function checkJq(expression: string, option = '--jq'): Promise<void> {
  const { exitCode, stderr } = await run('', expression)
  if (exitCode !== 0) throw new Failure('usage', `${option}: ${messageIn(stderr)}`)
}

/** Whether the expression gives a result that is neither `false` nor `null`. */
export async function testByJq(value: unknown, expression: string): Promise<boolean> {
  const { stdout, stderr, exitCode } = await run(stringifyJson(value), expression)
  if (exitCode !== 0) throw new Failure('local', `--until: ${messageIn(stderr)}`)
  return stdout.split('\n').some(line => !['', 'false', 'null'].includes(line))
}

interface JqContext {
  readonly host: Host
  readonly view: View
  readonly format: Format
}

/** Prints a line per result: strings as they are, everything else compact, or indented for a person. */
export async function printByJq(
  values: readonly unknown[],
  expression: string,
  { host, view, format }: JqContext
): Promise<void> {
  const json = values.map(value => stringifyJson(value, view)).join('\n')
  const { stdout, stderr, exitCode } = await run(json, expression)
  const isTerminal = view.width !== undefined
  const lines = stdout === '' ? [] : stdout.split('\n')
  const texts = lines.map(line => {
    const result = parseJson(line)
    if (typeof result === 'string') return `${isTerminal ? visibleText(result) : result}\n`
    const isIndented = isTerminal && format !== 'ndjson'
    return isIndented ? renderJson(result, view) : renderNdjson([result], view)
  })
  await print(host, 'stdout', texts.join(''))
  if (exitCode !== 0) throw new Failure('local', `--jq: ${messageIn(stderr)}`)
}

async function run(json: string, expression: string) {
  const jq = await loadJq()
  return jq.raw(json.replaceAll(/\\ud[89a-f][\da-f]{2}/gi, '\ufffd'), expression, [
    '--compact-output',
    '--monochrome-output',
    '--'
  ])
}

/** jq's message as one line, without the parts about its own command line. */
const messageIn = (stderr: string) =>
  stderr
    .split('\n')
    .map(line => line.replace(/^jq: error(?: \(at [^)]*\))?:? ?/, '').trim())
    .filter(line => !/^(|\^+|jq: \d+ compile errors?)$/.test(line))
    .join(' ')
