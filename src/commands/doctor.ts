import { Failure } from '../failure.ts'
import type { View } from '../output/view.ts'
import { visibleLine } from '../text/visible.ts'
import { wrapped } from '../text/width.ts'
import { command, define } from './declare.ts'
import type { Check } from './doctor/checks.ts'

const checkColumns = { names: ['check', 'state', 'detail', 'hint'] }

export const doctor = define(
  command('doctor', 'check this machine, the settings and the service', {
    prints: 'array',
    actsOn: ['requests'],
    columns: checkColumns,
    examples: `
      # check this machine and the local service
      petstore doctor --env local
      # check the service and the API key
      petstore doctor
      # print the checks as JSON for a bug report; no key is in it
      petstore doctor --env local --json
    `
  }),
  async (_options, context) => {
    const { examine } = await import('./doctor/checks.ts')
    const { checks, failure } = await examine(context)
    const render = (_rows: unknown, view: View) => renderChecks(checks, view)
    await context.output.list(checks, { ...checkColumns, render })
    if (failure === undefined) return
    // The row says what is wrong and what to do.
    const { code, status, isRetryable } = failure
    const first = checks.find(({ state }) => state === 'problem')
    throw new Failure(code, `problem found: ${first?.check}`, { status, isRetryable })
  }
)

const indent = 'problem  '.length

/** For people: all of each detail, and the hint below it on one line, so that it can be copied. */
async function renderChecks(checks: readonly Check[], { paint, width }: View) {
  const room = (width ?? Number.POSITIVE_INFINITY) - indent
  const blocks = checks.map(async ({ check, state, detail, hint }) => {
    const text = await wrapped(visibleLine(`${check}: ${detail}`), room)
    const hintLine = hint === null ? '' : `\n${paint('hint', 'hint:')} ${visibleLine(hint)}`
    const block = `${text}${hintLine}`.replaceAll('\n', `\n${' '.repeat(indent)}`)
    return `${paint(state === 'ok' ? 'good' : 'error', state.padEnd(indent))}${block}\n`
  })
  return (await Promise.all(blocks)).join('')
}
