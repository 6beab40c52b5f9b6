import { Failure } from '../failure.ts'
import { checkNewPet, type NewPet } from '../model/request-schema.ts'
import { parseExplained, parseIfJson, parseJson } from '../text/json.ts'
import { pathCommand } from '../text/shell.ts'
import { csvRows } from './csv-rows.ts'
import type { ImportInput } from './input.ts'
import { longestRow, type ReadRows, type Row, type RowBatches, requireUtf8 } from './row.ts'

/**
 * The rows of the input from its beginning; unknown columns and fields may be left out. To count
 * them, their pets need not be read.
 */
export function readRows(
  input: ImportInput,
  ignoreUnknown = false,
  { isCounted = false } = {}
): RowBatches {
  const read = { ndjson: lineRows, json: elementRows, csv: csvRows }[input.layout.format]
  const rowOf = (line: number, source: unknown, readValue: () => unknown): Row => {
    if (isCounted) return { line, source }
    try {
      const pet = checkNewPet(readValue(), ignoreUnknown)
      return typeof pet === 'string'
        ? { line, source, problem: pet }
        : { line, source, body: bodyOf(pet) }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return { line, source, problem: error.message }
    }
  }
  return read(input, rowOf, ignoreUnknown)
}

export function bodyOf({ name, categoryId, status }: NewPet): string {
  const rest = status === undefined ? '' : `,"status":"${status}"`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
}

const lineRows: ReadRows = async function* ({ name, chunks }, rowOf) {
  const decoder = new TextDecoder()
  let held = ''
  let line = 0
  const rowsOf = (texts: readonly string[]) => {
    const rows: Row[] = []
    for (const text of texts) {
      line += 1
      const source = text.trim()
      if (source !== '') rows.push(rowOf(line, source, () => parseExplained(requireUtf8(source))))
    }
    return rows
  }
  for await (const chunk of chunks()) {
    const texts = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = texts.pop() ?? ''
    yield rowsOf(texts)
    if (held.length > longestRow)
      throw new Failure('usage', `${name}: line ${line + 1} is longer than 1 MiB`)
  }
  yield rowsOf([held])
}

const largestArray = 16 * 2 ** 20
const sliceLength = 256

/** Read as a whole: for more, NDJSON has no limit. */
const elementRows: ReadRows = async function* (input, rowOf) {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of input.chunks()) {
    parts.push(chunk)
    size += chunk.length
    if (size > largestArray) throw tooLarge(input)
  }
  const elements = elementsIn(Buffer.concat(parts), input.name)
  for (let begin = 0; begin < elements.length; begin += sliceLength) {
    const slice = elements.slice(begin, begin + sliceLength)
    yield slice.map((element, index) => rowOf(begin + index + 1, element, () => element))
    // A signal gets its turn.
    await new Promise(setImmediate)
    input.signal.throwIfAborted()
  }
}

function tooLarge({ name, path }: ImportInput) {
  const toLines = "jq -c '.[]'"
  const problem = `${name} is a JSON array of more than 16 MiB: make NDJSON of it with ${toLines}`
  return new Failure('usage', problem, { hint: path && pathCommand(toLines, path) })
}

function elementsIn(bytes: Buffer, name: string): unknown[] {
  const text = new TextDecoder().decode(bytes)
  try {
    const value = parseJson(requireUtf8(text))
    if (Array.isArray(value)) return value
    throw new SyntaxError('it is not an array')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const [firstLine = ''] = text.split('\n', 1)
    const advice = parseIfJson(firstLine) ? '; --format ndjson reads a pet in each line' : ''
    throw new Failure('usage', `${name}: ${error.message}${advice}`)
  }
}
