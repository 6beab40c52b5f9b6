import { curlCommand, requestAsValue, withoutSecrets } from '../client/dry-run.ts'
import { NothingSent } from '../failure.ts'
import type { Request } from '../model/exchange.ts'
import type { Output } from '../output/output.ts'
import type { Host } from '../system/host.ts'
import type { Reporter } from '../terminal/reporter.ts'
import { lineBreak } from '../text/shell.ts'
import { localOrigin } from './endpoint.ts'

export interface ShownRequestOptions {
  readonly host: Host
  readonly output: Output
  readonly report: Reporter
}

/** Prints a request instead of sending it: `--dry-run`. A `--jq` is for the reply. */
export async function showRequest(
  request: Request,
  { host, output, report }: ShownRequestOptions
): Promise<never> {
  const shown = withoutSecrets(request, report.redact)
  const command = curlCommand(shown, host.terminal.stdout ? lineBreak : ' ')
  if (request.url.startsWith(`${localOrigin}/`))
    await report.notice(
      'needs-serve',
      "this command needs 'petstore serve', and the key that 'petstore auth token --env local' prints"
    )
  // If JSON is only the default in a pipe, the command is printed, for a shell to run.
  await output.text(command, requestAsValue(shown, command))
  throw new NothingSent()
}
