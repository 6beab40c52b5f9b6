import { Failure } from '../failure.ts'
import type { Host } from '../system/host.ts'
import { parseIfJson } from '../text/json.ts'
import { visibleText } from '../text/visible.ts'
import type { Output } from './output.ts'
import { print } from './stream.ts'

/** Bytes: exact in a pipe or a file, harmless in a terminal. */
export async function printBytes(host: Host, bytes: Uint8Array): Promise<void> {
  if (!host.terminal.stdout) return print(host, 'stdout', bytes)
  const text = visibleText(new TextDecoder().decode(bytes))
  const line = text.endsWith('\n') ? text : `${text}\n`
  await print(host, 'stdout', line)
}

/**
 * The body of a reply: the same, but JSON is indented in a terminal, and `--jq` transforms a reply
 * without error.
 */
export async function printReply(
  host: Host,
  output: Output,
  body: Uint8Array,
  isError: boolean
): Promise<void> {
  if (body.length === 0) return
  const { settings } = output
  const jq = isError ? undefined : settings.jq
  const isRead = jq !== undefined || host.terminal.stdout
  const value = isRead ? parseIfJson(body) : undefined
  if (value !== undefined) return output.json(value, { jq })
  if (jq !== undefined) throw new Failure('local', '--jq: the reply is not JSON')
  await printBytes(host, body)
}
