import type { Context } from '../session/context.ts'

/** Says what requests to the local service leave out. */
export async function noticeLocal({ host, settings, report }: Context): Promise<void> {
  const { value, origin } = settings.resolve('env')
  const unused = ['PETSTORE_BASE_URL', 'PETSTORE_MESSAGES_URL'].find(name => host.env[name])
  if (value !== 'local' || unused === undefined || origin.kind !== 'file') return
  const reason = "the environment is 'local', the saved default"
  await report.notice('unused-variable', `${unused} is not used: ${reason}`)
}
