import type { Context } from '../context.ts'
import { command, define } from './declare.ts'
import { type Check, ok } from './doctor/check.ts'

const columns = ['check', 'state', 'detail', 'advice', 'milliseconds']

export const doctor = () =>
  define(
    command('doctor', 'check this machine, the settings and the service', {
      prints: { shape: 'array', schema: 'check' },
      actsOn: ['environment', 'key', 'requests', 'data'],
      // A config file that cannot be read is one of the findings.
      toleratesBrokenConfig: true,
      fields: columns,
      examples: [
        ['petstore doctor --env local', 'check this machine and the local service'],
        ['petstore doctor', 'check the service and the API key'],
        ['petstore doctor --env local --json', 'print the checks as JSON for a bug report; no key is in it'],
      ],
    }),
    async (_options, context) => {
      const checks = await examine(context)
      const rows = checks.map(async ({ failure: _failure, ...row }) => ({
        ...row,
        detail: await context.report.redact(row.detail),
        advice: row.advice && (await context.report.redact(row.advice)),
      }))
      await context.output.checklist(await Promise.all(rows), columns)
      const worst = checks
        .flatMap(({ failure }) => failure ?? [])
        .sort((one, other) => other.exitCode - one.exitCode)[0]
      if (worst !== undefined) throw worst
    },
  )

async function examine(context: Context): Promise<Check[]> {
  const { checkCertificates, checkConfig, checkNode, checkSettings } = await import('./doctor/machine.ts')
  const { checkLocalService, checkService } = await import('./doctor/service.ts')
  const { host } = context
  const settings = await context.settings()
  const environment = settings.value('env')
  return [
    ok('petstore', context.version),
    checkNode(host),
    await checkConfig(context),
    ...(await checkSettings(settings)),
    checkCertificates(host, settings),
    ...(environment === 'local' ? await checkLocalService(context) : await checkService(context, settings)),
  ]
}
