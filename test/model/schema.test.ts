import { expect, it } from 'vitest'
import {
  checkNewPet,
  messageRequestSchema,
  newPetSchema,
  readNewPet
} from '../../src/model/request-schema.ts'
import { explainIssues, messageSchema, petSchema, petsSchema } from '../../src/model/schema.ts'
import { schemaAsJson } from '../../src/service/openapi.ts'
import { parseJson } from '../../src/text/json.ts'

const schemas = {
  pet: petSchema,
  pets: petsSchema,
  newPet: newPetSchema,
  text: messageRequestSchema,
  message: messageSchema
}

it.each<[keyof typeof schemas, string, unknown]>([
  ['newPet', '{"name":"Rex","categoryId":-0}', { name: 'Rex', categoryId: 0n }],
  ['newPet', '{"name":" \u{1f980}","categoryId":1e3}', { name: ' \u{1f980}', categoryId: 1000n }],
  [
    'pet',
    '{"id":-9223372036854775808,"name":"","categoryId":1.0,"status":"lost","tags":[9007199254740993]}',
    { id: -(2n ** 63n), name: '', categoryId: 1n, status: 'lost', tags: [9007199254740993n] }
  ],
  ['pets', '[]', []],
  ['text', '{"message":""}', { message: '' }]
])('%s accepts %s', (name, text, value) => {
  expect(schemas[name].parse(parseJson(text))).toStrictEqual(value)
})

const largest = '9223372036854775808'

it.each<[keyof typeof schemas, string, string]>([
  ['newPet', '{"categoryId":7}', 'name is missing'],
  ['newPet', '{"name":null,"categoryId":1}', 'name null is not text'],
  ['newPet', '{"name":" \\t\\u2003","categoryId":1}', 'name is blank'],
  ['newPet', '{"name":"\\u200b\\u3164\\u202e\\u0001","categoryId":1}', 'name is blank'],
  [
    'newPet',
    '{"name":"a\\ud800","categoryId":1}',
    "name 'a\ud800' is not Unicode text without NUL"
  ],
  [
    'newPet',
    '{"name":" ","categoryId":"1","status":"lost"}',
    "name is blank; categoryId '1' is text and not a whole number; status 'lost' is not available, pending or sold"
  ],
  ['newPet', '{"name":"Rex","categoryId":"three"}', "categoryId 'three' is not a whole number"],
  ['newPet', '{"name":"Rex","categoryId":1.5}', 'categoryId 1.5 is not a whole number'],
  [
    'newPet',
    `{"name":"Rex","categoryId":${largest}}`,
    `categoryId ${largest} has more than 64 bits`
  ],
  [
    'newPet',
    `{"name":"Rex","categoryId":7,"status":"${'x'.repeat(99)}"}`,
    // A part of a key could not be masked.
    'status of 101 characters is not available, pending or sold'
  ],
  ['newPet', '[]', 'the body is not an object'],
  ['pet', '{"name":"Rex","categoryId":7}', 'id is missing'],
  ['pet', '{"id":1,"name":"Rex","categoryId":7,"status":3}', 'status 3 is not text'],
  ['pets', '{"id":1}', 'the body is not a list'],
  ['pets', `[${'0,'.repeat(100_000)}0]`, 'the body is too long'],
  [
    'pets',
    '[{"id":1,"name":"Rex","categoryId":7},{"id":2,"name":4}]',
    '[1].name 4 is not text; [1].categoryId is missing'
  ],
  ['text', '{}', 'message is missing'],
  ['message', '{"id":"m","message":"hi","status":"queued"}', 'createdAt is missing']
])('%s refuses %.60s: %s', (name, text, sentence) => {
  const { error } = schemas[name].safeParse(parseJson(text))
  expect(error && explainIssues(error)).toBe(sentence)
})

it.each([
  ['{"name":"Rex","categoryId":1,"colour":"red"}', "a pet has no field 'colour'"],
  [
    '{"name":"Rex","category":1,"colour":"red"}',
    "categoryId is missing; a pet has no field 'category'; a pet has no field 'colour'"
  ],
  ['{"name":', 'it is not JSON'],
  ['"Rex"', 'it is not an object'],
  ['[1]', 'it is not an object']
])('a file with %s is refused', (text, problem) => {
  const message = expect.stringContaining(`pet.json: ${problem}`)
  expect(() => readNewPet(text, 'pet.json')).toThrow(
    expect.objectContaining({ code: 'usage', message })
  )
})

it('takes a pet as it was printed, and drops its id', () => {
  const printed = { id: 7n, name: 'a:b', categoryId: 1n }
  expect(checkNewPet(printed)).toEqual({ name: 'a:b', categoryId: 1n })
})

it('describes a schema as JSON Schema', () => {
  expect(schemaAsJson(newPetSchema, 'input')).toMatchObject({
    type: 'object',
    required: ['name', 'categoryId'],
    properties: {
      categoryId: { type: 'integer', format: 'int64' },
      status: { enum: ['available', 'pending', 'sold'] }
    }
  })
})
