import { Failure } from '../failure.ts'
import { plural } from '../model/quantities.ts'
import { command, define } from './declare.ts'

const checkColumns = ['check', 'state', 'detail', 'advice']

export const doctor = define(
  command('doctor', 'check this machine, the settings and the service', {
    prints: 'array',
    actsOn: ['key', 'requests', 'data'],
    // A config file that cannot be read is one of the findings.
    toleratesBrokenConfig: true,
    fields: checkColumns,
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
    const checks = await examine(context)
    const redact = await context.report.redactor()
    const rows = checks.map(({ failure: _failure, ...row }) => ({
      ...row,
      detail: redact(row.detail),
      advice: row.advice && redact(row.advice)
    }))
    await context.output.list(rows, { names: checkColumns })
    // The last check that failed got furthest.
    const last = checks.findLast(({ failure }) => failure !== undefined)?.failure
    if (last === undefined) return
    // The row says what is wrong and what to do.
    const problems = rows.filter(({ state }) => state === 'problem').map(({ check }) => check)
    const { code, status, isRetryable } = last
    const message = `${plural(problems.length, 'problem')} found: ${problems.join(', ')}`
    throw new Failure(code, message, { status, isRetryable })
  }
)
