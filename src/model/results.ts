import * as z from 'zod/mini'
import { endings, type FailureCode } from '../failure.ts'
import { int64Schema, messageSchema, petSchema, schemaAsJson } from './schema.ts'

/**
 * Everything that the program prints as JSON, except what `api` passes on. The values are typed by
 * these schemas, and `petstore commands` prints them as JSON Schema. They are only for types and
 * for that command: zod loads late.
 */

const text = z.string()
const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.nullable(schema)
const count = z.int().check(z.minimum(0))
const names = [...new Set(endings.map(([, name]) => name))].filter(
  (name): name is FailureCode => name !== 'ok'
)

/** The body of an error line, and the error of a watch event. */
const errorValue = z.object({
  code: z.enum(names as [FailureCode, ...FailureCode[]]),
  message: text,
  exitCode: z.int(),
  hint: z.optional(text),
  status: z.optional(z.int()),
  serviceCode: z.optional(text),
  retryable: z.boolean(),
  retryAfter: z.optional(count),
  /**
   * A change was made, although its result could not be printed; and the id of the pet or message.
   */
  changed: z.optional(z.literal(true)),
  id: z.optional(z.union([int64Schema, text])),
  /** With `--verbose`. */
  stack: z.optional(text)
})
export type ErrorValue = z.output<typeof errorValue>

const event = { time: z.iso.datetime() }

/** Whole lines of stderr, of an import, of a watch and of a dry run. */
export const lineSchemas = {
  error: z.object({ error: errorValue }),
  notice: z.object({ notice: z.object({ code: text, message: text }) }),
  importRow: z.object({
    line: count,
    outcome: z.enum(['added', 'skipped', 'rejected', 'invalid', 'doubtful']),
    id: z.optional(int64Schema),
    status: z.optional(z.int()),
    message: z.optional(text)
  }),
  importSummary: z.object({
    summary: z.object({
      added: count,
      skipped: count,
      rejected: count,
      invalid: count,
      doubtful: count,
      doubtfulLines: z.array(count),
      rows: count,
      journal: z.optional(text),
      next: z.optional(text)
    })
  }),
  watchEvent: z.union([
    // The pets of the first list are `initial`: they were there before.
    z.object({
      event: z.literal('added'),
      ...event,
      initial: z.boolean(),
      pet: petSchema
    }),
    z.object({
      event: z.literal('gone'),
      ...event,
      pet: petSchema
    }),
    z.object({
      event: z.literal('changed'),
      ...event,
      pet: petSchema,
      was: petSchema
    }),
    z.object({
      event: z.literal('error'),
      ...event,
      error: errorValue,
      nextLookInSeconds: z.number()
    })
  ]),
  dryRun: z.object({
    method: text,
    url: text,
    headers: z.record(text, text),
    body: z.unknown(),
    curl: text
  })
}

const settingFields = {
  setting: text,
  value: orNull(z.union([text, z.number(), z.boolean()]))
}
const changed = { changed: z.boolean() }
const environment = { environment: text, ...changed }
const addresses = {
  baseUrl: orNull(text),
  messagesUrl: orNull(text)
}
const anyNumber = z.union([z.number(), z.bigint()])
const limits = {
  type: z.enum(['string', 'integer', 'number', 'boolean']),
  minimum: z.optional(anyNumber),
  maximum: z.optional(anyNumber),
  choices: z.optional(z.array(text))
}
const optionSchema = z.object({
  flags: text,
  description: text,
  ...limits,
  default: z.optional(z.union([text, z.number()])),
  required: z.boolean(),
  repeatable: z.boolean(),
  conflictsWith: z.optional(z.array(text))
})
const exitCodeSchema = z.object({
  code: z.int(),
  name: text,
  meaning: text
})
const removalSchema = z.object({
  removedOn: z.iso.date(),
  replacement: text
})
const jsonSchema = z.record(text, z.unknown())

/** One result of each command, by the name that its declaration gives. */
export const resultSchemas = {
  pet: petSchema,
  message: messageSchema,
  importRow: lineSchemas.importRow,
  environment: z.object({
    name: text,
    inUse: z.boolean(),
    ...addresses
  }),
  key: z.object({
    environment: text,
    inUse: z.boolean(),
    baseUrl: orNull(text),
    key: orNull(text),
    fingerprint: orNull(text),
    accepted: orNull(z.boolean()),
    problem: z.optional(text)
  }),
  setting: z.object({
    ...settingFields,
    origin: z.enum(['flag', 'variable', 'file', 'default']),
    from: orNull(text)
  }),
  check: z.object({
    check: text,
    state: z.enum(['ok', 'warning', 'problem', 'skipped']),
    detail: text,
    /** What to do about it. */
    advice: orNull(text)
  }),
  ready: z.object({
    url: text,
    messagesUrl: text,
    apiKey: z.optional(text),
    apiKeyFrom: z.optional(text)
  }),
  text,
  settingValue: z.union([text, z.number()]),
  changedSetting: z.object({ ...settingFields, ...changed }),
  changedDefault: z.object(environment),
  changedEnvironment: z.object({
    ...environment,
    ...addresses,
    keyRemoved: z.boolean()
  }),
  removedEnvironment: z.object({ ...environment, defaultEnvironment: text }),
  login: z.object({
    ...environment,
    ...addresses,
    fingerprint: text,
    tested: z.boolean(),
    defaultEnvironment: text
  }),
  logout: z.object({ ...changed, environments: z.array(text) }),
  program: z.object({
    name: text,
    version: text,
    options: z.optional(z.array(optionSchema)),
    variables: z.optional(z.array(z.object({ name: text, description: text }))),
    commands: z.array(
      z.object({
        name: text,
        summary: text,
        arguments: z.array(
          z.object({
            name: text,
            description: text,
            ...limits,
            required: z.boolean(),
            repeatable: z.boolean()
          })
        ),
        options: z.array(optionSchema),
        sharedOptions: z.array(text),
        changes: z.enum(['nothing', 'machine', 'service']),
        deprecated: z.optional(removalSchema),
        exitCodes: z.array(z.int()),
        output: z.object({
          shape: z.enum(['array', 'object', 'value', 'lines', 'any']),
          schema: jsonSchema
        }),
        examples: z.array(z.object({ command: text, description: text }))
      })
    ),
    exitCodes: z.optional(z.array(exitCodeSchema)),
    schemas: z.optional(z.record(text, jsonSchema))
  }),
  /** The reply of the service, whatever it is. */
  reply: z.unknown()
}

/** The summary that ends an import. */
export type ImportSummary = z.output<typeof lineSchemas.importSummary>['summary']

/** The type of a result, for the command that prints it. */
export type Result<Name extends keyof typeof resultSchemas> = z.output<(typeof resultSchemas)[Name]>

/** What a command prints as JSON Schema: one result, or a list of them. */
export function resultSchema(
  name: keyof typeof resultSchemas,
  isList: boolean
): Record<string, unknown> {
  const schema: z.ZodMiniType = resultSchemas[name]
  return schemaAsJson(isList ? z.array(schema) : schema)
}
