import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { CustomRequest } from '../client/custom-request.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { argument, command, define, option } from './declare.ts'

export const api = () =>
  define(
    command('api', 'make a request of your own, with the key of the environment', {
      actsOn: ['environment', 'requests', 'changes', 'json'],
      examples: [
        ['petstore api GET /pets --env local -f status=sold -F limit=5', 'fields of a GET go into the query'],
        [
          'petstore api POST /pets --env local -f name=Rex -F categoryId=9007199254740993',
          'of a POST into a JSON body',
        ],
        [`echo '{"message":"hello"}' | petstore api POST /messages --messages --file - --env local`, 'any body'],
        ['petstore api HEAD /pets/1 --env local -i', 'the status and the headers'],
      ],
    })
      .addArgument(argument('<method>', 'the method: GET, POST or any other').argParser(method))
      .addArgument(argument('<path>', 'below the address; it begins with a slash'))
      .addOption(option('--messages', 'to the address that messages are sent to'))
      .addOption(option('-f, --raw-field <key=text>', 'a field that is text').argParser(collect).default([], ''))
      .addOption(
        option('-F, --field <key=value>', 'a field that is JSON: a number, true, null, a list; a bare word is text')
          .argParser(collect)
          .default([], ''),
      )
      .addOption(
        option('--file <file>', 'a file that is the body, byte for byte (-: standard input)').conflicts([
          'rawField',
          'field',
        ]),
      )
      .addOption(option('-H, --header <line>', "a header, as 'Name: value'").argParser(collect).default([], ''))
      .addOption(option('-i, --include', 'show the status and the headers of the reply too')),
    async ({ include, ...typed }, context, method, path) => {
      const request = await requestOf(context, method, path, typed)
      const client = await context.client()
      const { reply, failure } = await client.exchange(request)
      if (include) await context.output.bytes(headOf(reply))
      if (failure === undefined) return context.output.reply(reply.body)
      await context.output.bytes(reply.body)
      throw failure
    },
  )

interface Typed {
  readonly messages?: true | undefined
  readonly rawField: readonly string[]
  readonly field: readonly string[]
  readonly file?: string | undefined
  readonly header: readonly string[]
}

async function requestOf(context: Context, method: string, path: string, typed: Typed): Promise<CustomRequest> {
  const { fieldsAsJson, pathBelow, readHeaders, textField, typedField } = await import('../client/custom-request.ts')
  const hasQueryFields = method === 'GET' || method === 'HEAD'
  const fields = [...typed.rawField.map(textField), ...typed.field.map(typedField)]
  const given = readHeaders(typed.header)
  const where = { service: typed.messages ? 'messages' : 'pets', method } as const
  if (hasQueryFields && typed.file !== undefined) {
    throw new Failure('usage', `a ${method} has no body: --file is for other methods`, { hint: 'petstore api --help' })
  }
  const hasBody = !hasQueryFields && (typed.file !== undefined || fields.length > 0)
  if (!hasBody) return { ...where, path: pathBelow(path, fields), headers: given }
  return {
    ...where,
    path: pathBelow(path, []),
    headers: { 'content-type': 'application/json', ...given },
    body: typed.file === undefined ? fieldsAsJson(fields) : await context.readBytes(typed.file),
  }
}

/** As `curl -i` prints it. */
function headOf({ status, headers }: Reply): Uint8Array {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  )
  return Buffer.from([`HTTP/1.1 ${status}`, ...fields, '', ''].join('\r\n'))
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function method(text: string): string {
  const upper = text.toUpperCase()
  // A CONNECT would make a tunnel of the connection.
  if (!/^[A-Z]+$/.test(upper) || upper === 'CONNECT') throw new InvalidArgumentError('It must be a method of HTTP.')
  return upper
}
