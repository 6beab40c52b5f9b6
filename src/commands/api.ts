import type { CustomRequest } from '../client/operations.ts'
import { Failure } from '../failure.ts'
import { headerLines, type Reply } from '../model/exchange.ts'
import { printResult } from '../output/output.ts'
import type { Context } from '../session/context.ts'
import { readBytes } from '../system/read-input.ts'
import { collect, command, define, option } from './declare.ts'

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
  const { isChangingMethod } = await import('../client/retry-policy.ts')
  const isDone = failure === undefined && isChangingMethod(method)
  const change = isDone ? { done: `the ${method} request succeeded` } : undefined
  const print = async () => {
    const { printBytes, printReply } = await import('../output/reply.ts')
    const { host, output } = context
    if (typed.include) await printBytes(host, headOf(reply))
    await printReply(host, output, reply.body, failure !== undefined)
  }
  await printResult(change, print(), context.interruption.signal)
  if (failure !== undefined) throw failure
})

async function customRequest(
  context: Context,
  words: readonly string[],
  typed: ApiOptions
): Promise<CustomRequest> {
  const { fieldsAsJson, misuse, pathBelow, readHeaders, textField, typedField } = await import(
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
    throw misuse(`a ${method} request has no body: --file cannot be used with it`)
  }
  if (hasQuery || !hasContent) return request
  return {
    ...request,
    headers: { 'content-type': 'application/json', ...headers },
    body: typed.file === undefined ? fieldsAsJson(fields) : await readBytes(context, typed.file)
  }
}

/** As `curl -i` prints it, byte for byte: a character of a header is one byte. */
function headOf({ status, headers }: Reply) {
  const lines = [`HTTP/1.1 ${status}`, ...headerLines(headers), '', '']
  return Buffer.from(lines.join('\r\n'), 'latin1')
}
