import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { parseJson } from '../../src/model/json.ts'
import {
  explainIssues,
  messageRequestSchema,
  messageSchema,
  newPetSchema,
  petSchema,
  petsSchema,
  serviceErrorSchema
} from '../../src/model/schema.ts'

const schemas = {
  pet: petSchema,
  pets: petsSchema,
  newPet: newPetSchema,
  messageRequest: messageRequestSchema,
  message: messageSchema,
  serviceError: serviceErrorSchema
}
const range = 'a 64-bit integer'

describe('accepted', () => {
  it.each<[keyof typeof schemas, string, unknown]>([
    ['newPet', '{"name":"Rex","categoryId":7}', { name: 'Rex', categoryId: 7n }],
    [
      'newPet',
      '{"name":"Rex","categoryId":-0,"status":"sold"}',
      { name: 'Rex', categoryId: 0n, status: 'sold' }
    ],
    ['newPet', '{"name":"Rex","categoryId":1e3,"other":1}', { name: 'Rex', categoryId: 1000n }],
    [
      'newPet',
      '{"name":" x ","categoryId":9223372036854775807}',
      { name: ' x ', categoryId: 2n ** 63n - 1n }
    ],
    [
      'pet',
      '{"id":-9223372036854775808,"name":"","categoryId":9007199254740993,"status":"lost","tags":[9007199254740993]}',
      {
        id: -(2n ** 63n),
        name: '',
        categoryId: 9007199254740993n,
        status: 'lost',
        tags: [9007199254740993n]
      }
    ],
    ['pet', '{"id":1.0,"name":"Rex","categoryId":1}', { id: 1n, name: 'Rex', categoryId: 1n }],
    ['pets', '[]', []],
    ['messageRequest', '{"message":""}', { message: '' }],
    [
      'message',
      '{"id":"m","message":"hi","status":"queued","createdAt":"2030-01-01T00:00:00Z","to":1}',
      { id: 'm', message: 'hi', status: 'queued', createdAt: '2030-01-01T00:00:00Z', to: 1 }
    ],
    [
      'serviceError',
      '{"code":"c","message":"m","status":400}',
      { code: 'c', message: 'm', status: 400 }
    ]
  ])('%s %s', (name, text, value) => {
    expect(schemas[name].parse(parseJson(text))).toStrictEqual(value)
  })
})

describe('refused', () => {
  it.each<[keyof typeof schemas, string, string]>([
    ['newPet', '{"categoryId":7}', 'name is missing'],
    ['newPet', '{"name":null,"categoryId":7}', 'name must be text'],
    ['newPet', '{"name":"","categoryId":7}', 'name must not be blank'],
    ['newPet', '{"name":" \\t\\u2003","categoryId":7}', 'name must not be blank'],
    ['newPet', '{"name":"Rex"}', 'categoryId is missing'],
    ['newPet', '{"name":"Rex","categoryId":"7"}', `categoryId must be ${range}`],
    ['newPet', '{"name":"Rex","categoryId":1.5}', `categoryId must be ${range}`],
    ['newPet', '{"name":"Rex","categoryId":null}', `categoryId must be ${range}`],
    ['newPet', '{"name":"Rex","categoryId":9223372036854775808}', `categoryId must be ${range}`],
    ['newPet', '{"name":"Rex","categoryId":-9223372036854775809}', `categoryId must be ${range}`],
    ['newPet', '{"name":"Rex","categoryId":1e999999999}', `categoryId must be ${range}`],
    [
      'newPet',
      '{"name":"Rex","categoryId":7,"status":"lost"}',
      'status must be one of available, pending, sold'
    ],
    [
      'newPet',
      '{"name":"Rex","categoryId":7,"status":null}',
      'status must be one of available, pending, sold'
    ],
    ['newPet', '[]', 'the body must be an object'],
    ['newPet', 'null', 'the body must be an object'],
    ['pet', '{"name":"Rex","categoryId":7}', 'id is missing'],
    ['pet', '{"id":1,"name":"Rex","categoryId":7,"status":3}', 'status must be text'],
    ['pets', '{"id":1}', 'the body must be a list'],
    [
      'pets',
      '[{"id":1,"name":"Rex","categoryId":7},{"id":2,"name":4,"categoryId":7}]',
      '[1].name must be text'
    ],
    ['messageRequest', '{}', 'message is missing'],
    ['messageRequest', '{"message":7}', 'message must be text'],
    ['message', '{"id":"m","message":"hi","status":"queued"}', 'createdAt is missing'],
    ['serviceError', '{"code":"c","message":"m","status":"400"}', 'status must be an integer']
  ])('%s %s: %s', (name, text, sentence) => {
    const { error } = schemas[name].safeParse(parseJson(text))
    expect(error && explainIssues(error)).toBe(sentence)
  })

  it('begins with the given subject', () => {
    const { error } = petSchema.safeParse(7)
    expect(error && explainIssues(error, 'line 3')).toBe('line 3 must be an object')
  })
})

it('the schemas convert to JSON Schema', () => {
  const options = {
    io: 'input',
    unrepresentable: 'any',
    override: ({
      zodSchema,
      jsonSchema
    }: {
      zodSchema: z.core.$ZodTypes
      jsonSchema: z.core.JSONSchema.BaseSchema
    }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    }
  } as const
  expect(z.toJSONSchema(newPetSchema, options)).toMatchObject({
    type: 'object',
    required: ['name', 'categoryId'],
    properties: {
      name: { type: 'string', pattern: '\\S' },
      categoryId: { type: 'integer', format: 'int64' },
      status: { enum: ['available', 'pending', 'sold'] }
    }
  })
})

it('a list reports only its first wrong pet', () => {
  const { error } = petsSchema.safeParse([
    { id: 1, name: 'Rex', categoryId: 1 },
    ...Array.from({ length: 1000 }, () => [])
  ])
  expect(error?.issues).toHaveLength(1)
  expect(error && explainIssues(error)).toBe('[1] must be an object')
})
