import { Failure } from '../failure.ts'
import { plural } from '../model/quantities.ts'
import type { View } from '../output/view.ts'
import { command, define } from './declare.ts'

const checkColumns = ['check', 'state', 'detail', 'advice']

export const doctor = () =>
  define(
    command('doctor', 'check this machine, the settings and the service', {
      prints: { shape: 'array', schema: 'check' },
      actsOn: ['environment', 'key', 'requests', 'data'],
      // A config file that cannot be read is one of the findings.
      toleratesBrokenConfig: true,
      fields: checkColumns,
      examples: [
        ['petstore doctor --env local', 'check this machine and the local service'],
        ['petstore doctor', 'check the service and the API key'],
        [
          'petstore doctor --env local --json',
          'print the checks as JSON for a bug report; no key is in it',
        ],
      ],
    }),
    async (_options, context) => {
      const { examine } = await import('./doctor/checks.ts')
      const checks = await examine(context)
      const redact = await context.report.redactor()
      const rows = checks.map(({ failure: _failure, ...row }) => ({
        ...row,
        detail: redact(row.detail),
        advice: row.advice && redact(row.advice),
      }))
      const { renderChecklist } = await import('../output/checklist.ts')
      const render = (_rows: unknown, view: View) => renderChecklist(rows, view)
      await context.output.list(rows, { names: checkColumns, render })
      const problems = checks.filter(({ failure }) => failure !== undefined)
      const [worst] = problems
        .flatMap(({ failure = [] }) => failure)
        .sort((one, two) => two.exitCode - one.exitCode)
      if (worst === undefined) return
      // The row says what is wrong and what to do.
      const names = problems.map(({ check }) => check).join(', ')
      const { code, status, isRetryable } = worst
      throw new Failure(code, `${plural(problems.length, 'problem')} found: ${names}`, {
        status,
        isRetryable,
      })
    },
  )
