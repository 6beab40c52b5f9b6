import type { CustomRequest } from '../client/operations.ts'
import { Failure } from '../failure.ts'
import { headerLines, isChangingMethod, type Reply } from '../model/exchange.ts'
import { printResult } from '../output/output.ts'
import { print } from '../output/stream.ts'
import type { Context } from '../session/context.ts'
import type { Host } from '../system/host.ts'
import { readBytes } from '../system/read-input.ts'
import { parseIfJson, stringifyJson } from '../text/json.ts'
import { visibleText } from '../text/visible.ts'
import { command, define, option } from './declare.ts'
import { collect } from './readers.ts'

type ApiOptions = ReturnType<typeof apiDeclaration.opts>

/** `POST /pets`, or `/pets`. A CONNECT would make a tunnel of the connection. */
function readRequest(words: readonly string[], typed: ApiOptions) {
  const [path = '', method] = words.toReversed()
  const isMethod = method === undefined || /^(?!connect$)[a-z]+$/i.test(method)
  if (words.length > 2 || !path.startsWith('/') || !isMethod) {
    const problem = 'give a method such as POST, if it is not GET, and a path such as /pets'
    throw new Failure('usage', problem)
  }
  const hasContent = Boolean(typed.rawField ?? typed.field ?? typed.file)
  if (hasContent && method === undefined) {
    const problem =
      'fields and a file need the method: GET sends fields in the query; POST, PUT and PATCH send a body'
    throw new Failure('usage', problem)
  }
  return { path, method: method?.toUpperCase() ?? 'GET', hasContent }
}

const apiDeclaration = command('api', 'send any request to the service', {
  prints: 'any',
  actsOn: ['request', 'json'],
  changes: 'service',
  details:
    'The request goes to the base URL of the environment, with its API key. Fields go into the query of GET and HEAD, and into a JSON body otherwise. The body of the reply is printed whatever the status; the exit code depends on the status.',
  examples: `
    # send a query; without a limit, the service lists 20
    petstore api GET /pets --env local -f status=sold -F limit=100
    # send a JSON body
    petstore api POST /pets --env local -f name=Rex -F categoryId=9007199254740993
    # send a request to the messages URL
    petstore api POST /messages --messages -f message=hello --env local
    # print the status and the headers
    petstore api HEAD /pets/1 --env local -i
  `
})
  .usage('[options] [method] <path>')
  .argument('<request...>', 'method (default: GET), and a path below the base URL')
  .hook('preAction', command => void readRequest(command.args, command.opts()))
  .option('--messages', 'send the request to the messages URL')
  .option('-f, --raw-field <key=text>', 'add a text field', collect)
  .option(
    '-F, --field <key=value>',
    'add a JSON field (number, true, null, list); other values are text',
    collect
  )
  .addOption(
    option('--file <file>', 'file to send as the body (-: standard input)').conflicts([
      'rawField',
      'field'
    ])
  )
  .option('-H, --header <line>', "add a header, written as 'Name: value'", collect)
  .option('-i, --include', 'print the status and the headers too')

export const api = define(apiDeclaration, async (typed, context, words) => {
  const request = await customRequest(context, words, typed)
  const { method } = request
  const client = await context.client({ service: typed.messages ? 'messages' : 'pets' })
  const { reply, failure } = await client.exchange(request)
  const isDone = failure === undefined && isChangingMethod(method)
  const change = isDone ? { done: `the ${method} request succeeded` } : undefined
  const printAll = async () => {
    if (typed.include) await printBytes(context.host, headOf(reply))
    await printBody(context, reply.body, failure !== undefined)
  }
  await printResult(change, printAll(), context.interruption.signal)
  // It was not read: only --file sends it.
  const lacksInput = method === 'POST' && request.body === undefined && !context.host.terminal.stdin
  if (lacksInput && failure?.code === 'rejected')
    failure.hint = context.retyped({ '--file': '-' }, words)
  if (failure !== undefined) throw failure
})

async function customRequest(
  context: Context,
  words: readonly string[],
  typed: ApiOptions
): Promise<CustomRequest> {
  const { pathBelow, readHeaders, textField, typedField } = await import(
    '../client/custom-request.ts'
  )
  const { rawField = [], field = [], header = [] } = typed
  const fields = [...rawField.map(textField), ...field.map(typedField)]
  const { path, method, hasContent } = readRequest(words, typed)
  const hasQuery = method === 'GET' || method === 'HEAD'
  const headers = readHeaders(header)
  const request = {
    method,
    path: pathBelow(path, hasQuery ? fields : []),
    headers
  }
  if (hasQuery && typed.file !== undefined) {
    const problem = `a ${method} request has no body: --file cannot be used with it`
    throw new Failure('usage', problem)
  }
  if (hasQuery || !hasContent) return request
  return {
    ...request,
    headers: { 'content-type': 'application/json', ...headers },
    body:
      typed.file === undefined
        ? stringifyJson(Object.fromEntries(fields))
        : await readBytes(context, typed.file)
  }
}

/** As `curl -i` prints it, byte for byte: a character of a header is one byte. */
function headOf({ status, headers }: Reply) {
  const lines = [`HTTP/1.1 ${status}`, ...headerLines(headers), '', '']
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

/** Exact in a pipe, but JSON is indented in a terminal, and `--jq` transforms what is no error. */
async function printBody({ host, output }: Context, body: Uint8Array, isError: boolean) {
  if (body.length === 0) return
  const jq = isError ? undefined : output.settings.jq
  const isRead = jq !== undefined || host.terminal.stdout
  const value = isRead ? parseIfJson(body) : undefined
  if (value !== undefined) return output.json(value, { jq })
  if (jq !== undefined) throw new Failure('local', '--jq: the reply is not JSON')
  await printBytes(host, body)
}

/** Exact in a pipe or a file, harmless in a terminal. */
async function printBytes(host: Host, bytes: Uint8Array) {
  if (!host.terminal.stdout) return print(host, 'stdout', bytes)
  const text = visibleText(new TextDecoder().decode(bytes))
  const line = text.endsWith('\n') ? text : `${text}\n`
  await print(host, 'stdout', line)
}
