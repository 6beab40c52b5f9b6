import { Failure } from '../failure.ts'
import { largestJson, parseIfJson, parseJson } from '../model/json.ts'
import { visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import { type Output, printJson } from './output.ts'
import { print } from './stream.ts'

/** What becomes text at once: a whole reply as text takes many times its memory. */
const pieceSize = 2 ** 20

/** Bytes: exact in a pipe or a file, harmless in a terminal. */
export async function printBytes(host: Host, bytes: Uint8Array): Promise<void> {
  if (!host.terminal.stdout || bytes.length === 0) return print(host, 'stdout', bytes)
  const decoder = new TextDecoder()
  for (let start = 0; start < bytes.length; start += pieceSize) {
    const end = start + pieceSize
    const piece = bytes.subarray(start, end)
    const isLast = end >= bytes.length
    const text = decoder.decode(piece, { stream: !isLast })
    await print(host, 'stdout', visibleText(text))
  }
  const isWholeLine = bytes.at(-1) === 0x0a
  if (!isWholeLine) await print(host, 'stdout', '\n')
}

interface PrintedReply {
  readonly body: Uint8Array
  readonly isError: boolean
}

/**
 * The body of a reply: the same, but JSON that is not too large is indented in a terminal, and
 * `--jq` transforms a reply without error.
 */
export async function printReply(
  host: Host,
  output: Output,
  { body, isError }: PrintedReply,
): Promise<void> {
  if (body.length === 0) return
  const chosen = await output.settings()
  if (chosen.jq !== undefined && !isError) return output.json(await readReply(body))
  const isShown = host.terminal.stdout && body.length <= largestJson
  const value = isShown ? parseIfJson(body) : undefined
  if (value === undefined) await printBytes(host, body)
  else await printJson(host, value, { ...chosen, format: 'json' })
}

async function readReply(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length > largestJson) throw new Failure('local', '--jq: the reply is larger than 8 MiB')
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    return parseJson(decoder.decode(bytes))
  } catch (error) {
    const { message } = error as Error
    throw new Failure('local', `--jq: the reply is not JSON: ${message}`, { cause: error })
  }
}
