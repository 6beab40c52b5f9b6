import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Result } from '../../src/model/results.ts'
import { plainCommands, runsUntilStopped } from '../support/examples.ts'
import { recordingServer } from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

type Schema = Readonly<Record<string, unknown>>

type Program = { [Key in keyof Result<'program'>]-?: NonNullable<Result<'program'>[Key]> }

const program: Program = JSON.parse((await runCli(['commands'], { home: '/dev/null' })).stdout)
const schemaOf = (name: string): Schema => {
  const output = program.commands.find(command => command.name === name)?.output
  expect(output).toBeDefined()
  return output?.schema ?? {}
}
const ajv = new Ajv2020({ validateFormats: false, allowUnionTypes: true })

/**
 * Expects that the value conforms, and no longer does if a required field is missing or any field
 * has another type.
 */
function expectExact(schema: Schema, value: unknown): void {
  const validate = ajv.compile(schema)
  expect(validate(value), JSON.stringify({ errors: validate.errors, value }).slice(0, 2000)).toBe(
    true
  )
  expect(validate({ unrelated: true })).toBe(false)
  expect(validate(null)).toBe(false)
  for (const wrong of withOneWrongField(value)) {
    expect(validate(wrong), `accepted: ${JSON.stringify(wrong).slice(0, 500)}`).toBe(false)
  }
}

/** For each field of the value, the value with that field mistyped. */
function withOneWrongField(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.length === 0 ? [] : withOneWrongField(value[0]).map(wrong => [wrong])
  if (typeof value !== 'object' || value === null) return [{ wrong: value }]
  return Object.entries(value).flatMap(([key, field]) => [
    { ...value, [key]: isOpen(key) ? 'wrong' : { wrong: [] } },
    ...(typeof field === 'object' && field !== null && Object.keys(field).length > 0 && !isOpen(key)
      ? withOneWrongField(field).map(wrong => ({ ...value, [key]: wrong }))
      : [])
  ])
}

/** A JSON Schema within the description of the program is itself any JSON. */
const isOpen = (key: string) => key === 'schema' || key === 'schemas'

/** Without any one of its required fields, the value must be refused too. */
function expectRequired(schema: Schema, value: object): void {
  const validate = ajv.compile(schema)
  for (const key of (schema.required as string[] | undefined) ?? []) {
    const { [key]: _removed, ...rest } = value as Record<string, unknown>
    expect(validate(rest), `accepted without ${key}`).toBe(false)
  }
}

const pet = { id: 7, name: 'Rex', categoryId: 2, status: 'sold' }
const at = (url: string) => ({
  PETSTORE_API_KEY: 'sk_test_12345678',
  PETSTORE_BASE_URL: url,
  PETSTORE_MESSAGES_URL: url
})
const file = (name: string, text: string) => {
  const path = join(temporaryDirectory(), name)
  writeFileSync(path, text)
  return path
}
const errorsOf = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

describe('the JSON of each command conforms to its schema', () => {
  const commands = program.commands.filter(
    ({ output }) => output.shape !== 'any' && output.shape !== 'lines'
  )
  const examples = commands.flatMap(({ name, examples: declared }) => {
    const lines = [...declared.map(({ command }) => command), 'petstore completion bash']
    return lines
      .filter(
        line =>
          line.startsWith(`petstore ${name}`) &&
          !runsUntilStopped(line) &&
          !/--(jq|dry-run)/.test(line)
      )
      .flatMap(line => plainCommands(line) ?? [])
      .map(argv => ({ name, argv }))
  })

  test.each(examples)('$argv', async ({ name, argv }) => {
    const server = await recordingServer({ json: [pet] })
    const words = argv.map(word => word.replace('https://HOST', server.url))
    const run = await runCli([...words, '--json'], {
      env: at(server.url),
      stdin: 'sk_test_12345678'
    })
    expect(run.code, run.stderr).toBe(0)
    const value = JSON.parse(run.stdout)
    const schema = schemaOf(name)
    expectExact(schema, value)
    const [first, item] = Array.isArray(value)
      ? [value[0], schema.items as Schema]
      : [value, schema]
    if (typeof first === 'object') expectRequired(item, first)
  })

  test('a pet with a field that this version does not know conforms', () => {
    expect(ajv.validate(schemaOf('pets list'), [{ ...pet, tags: [1] }])).toBe(true)
  })

  test('serve', async () => {
    const run = await runCli(['serve', '--port', '0', '--data', ':memory:', '--json'], {
      steps: [['"url"', ctrlC]]
    })
    expectExact(schemaOf('serve'), JSON.parse(run.stdout))
  })

  test('every command has an example that is tested above; imports are below, and api prints any reply', () => {
    const names = program.commands.map(({ name }) => name)
    const tested = [...examples.map(({ name }) => name), 'serve', 'pets import', 'api']
    expect(names.filter(name => !tested.includes(name))).toEqual([])
  })

  test('--fields offers the fields of the schema', async () => {
    for (const { name, sharedOptions, output, examples: declared } of program.commands) {
      if (!sharedOptions.includes('--fields')) continue
      const one = (output.shape === 'array' ? output.schema.items : output.schema) as {
        properties: object
      }
      const [argv = []] = declared.flatMap(({ command }) => plainCommands(command) ?? [])
      const { stderr } = await runCli([...argv, '--fields', 'nothing', '--json'])
      const [, fields = ''] = /the fields are (.*)$/.exec(JSON.parse(stderr).error.message) ?? []
      expect(fields.split(', ').sort(), name).toEqual(Object.keys(one.properties).sort())
    }
  })
})

describe('other lines of JSON conform to their schemas', () => {
  const { error, notice, importRow, importSummary, watchEvent } = program.schemas as Record<
    string,
    Schema
  >

  test.each<
    [
      what: string,
      argv: string[],
      reply: { status?: number; json?: unknown; headers?: Record<string, string> }
    ]
  >([
    ['a usage error', ['pets', 'lst'], {}],
    [
      'a refused key',
      ['pets', 'list'],
      { status: 401, json: { code: 'bad_key', message: 'no', status: 401 } }
    ],
    [
      'a busy service',
      ['pets', 'list', '--retries', '0'],
      { status: 429, headers: { 'retry-after': '7' } }
    ],
    ['a doubtful change', ['pets', 'add', '--name', 'Rex', '--category-id', '2'], { status: 500 }],
    ['--verbose', ['config', 'get', 'nothing', '--verbose'], {}]
  ])('%s', async (_, argv, reply) => {
    const server = await recordingServer(reply)
    const run = await runCli(argv, { env: at(server.url) })
    const line = errorsOf(run.stderr).find(value => 'error' in value)
    expectExact(error ?? {}, line)
    const { error: body } = (error as { properties: { error: Schema } }).properties
    expectRequired(body as Schema, line.error)
  })

  test.each([
    [['pets', 'list', '--limit', '3']],
    [['pets', 'add', '--name', 'Rex', '--category-id', '2']],
    [['messages', 'send', 'hi']],
    [['api', 'POST', '/x', '-f', 'a=b', '-H', 'X-Trace: 1']]
  ])('a dry run of %j', async argv => {
    const env = at('https://pets.example/v1')
    const { code, stdout } = await runCli([...argv, '--dry-run', '--json'], { env })
    expect(code).toBe(0)
    const schema = program.schemas.dryRun ?? {}
    const validate = ajv.compile(schema)
    const request = JSON.parse(stdout)
    expect(validate(request), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ ...request, headers: 'none' })).toBe(false)
    expectRequired(schema, request)
  })

  test('notices', async () => {
    const server = await recordingServer({ json: pet })
    const { stderr } = await runCli(['pets', 'get', '7'], { env: at(server.url) })
    for (const line of errorsOf(stderr)) expectExact(notice ?? {}, line)
    expect(stderr).toContain('"notice"')
  })

  test('the rows and the summary of an import', async () => {
    const home = temporaryDirectory()
    const rows = file('pets.ndjson', '{"name":"Rex","categoryId":2}\n{"name":""}\n')
    const { stdout, stderr } = await runCli(['pets', 'import', rows, '--env', 'local', '--json'], {
      home
    })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expectExact(importRow ?? {}, JSON.parse(line))
      expectRequired(importRow ?? {}, JSON.parse(line))
    }
    expect(schemaOf('pets import')).toEqual(importRow)
    const summary = errorsOf(stderr).find(line => 'summary' in line)
    expectExact(importSummary ?? {}, summary)
    const { summary: body } = (importSummary as { properties: { summary: Schema } }).properties
    expectRequired(body, summary.summary)
  })

  test('the events of a watch', async () => {
    const lists = [[pet], [{ ...pet, status: 'available' }], []]
    const server = await recordingServer([...lists.map(json => ({ json })), { status: 500 }])
    const run = await runCli(['pets', 'list', '--watch', '0.1', '--json'], {
      env: at(server.url),
      steps: [['"error"', ctrlC]]
    })
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(events.map(({ event }) => event).slice(0, 4)).toEqual([
      'added',
      'changed',
      'gone',
      'error'
    ])
    for (const event of events) {
      expectExact(watchEvent ?? {}, event)
      for (const key of Object.keys(event)) {
        const { [key]: _removed, ...rest } = event
        expect(ajv.validate(watchEvent ?? {}, rest)).toBe(false)
      }
    }
  })
})
