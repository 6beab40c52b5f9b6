import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Reply } from '../../src/model/exchange.ts'
import { parseJson, stringifyJson } from '../../src/model/json.ts'
import { int64Limits, petStatuses } from '../../src/model/pets.ts'
import type { NewPet } from '../../src/model/schema.ts'
import type { PetDatabase } from '../../src/service/database.ts'
import { createHandler } from '../../src/service/router.ts'
import { anyText } from '../support/any-text.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { expectDescribed } from './described.ts'
import { type Handler, incoming } from './incoming.ts'
import { openDatabase } from './open-database.ts'

/** A simple model of the service: a list that grows. */
interface Model {
  pets: (NewPet & { id: bigint })[]
  messages: number
}

/** Two programs on one file; each step uses one of them. */
interface Real {
  readonly path: string
  readonly programs: { database: PetDatabase; handler: Handler }[]
}

type Step = (model: Model, real: Real) => Promise<void>

const which = fc.nat({ max: 1 })
const text = anyText.filter(text => !text.includes('\0'))
const name = fc
  .oneof(text, fc.string(), fc.constantFrom('\ufeff', '"\\', '\u202e', '小雪 🐇'))
  .filter(text => /\S/u.test(text) && !text.includes('\0'))
const int64 = fc.oneof(
  fc.bigInt({ min: int64Limits.minimum, max: int64Limits.maximum }),
  fc.bigInt({ min: 0n, max: 9n })
)
const status = fc.option(fc.constantFrom(...petStatuses), { nil: undefined })

const adding = fc
  .record({ which, pet: fc.record({ name, categoryId: int64, status }) })
  .map(({ which, pet }): Step => {
    return async (model, real) => {
      const reply = await send(real, which, 'POST', '/v1/pets', pet)
      const expected = { id: BigInt(model.pets.length + 1), ...pet }
      expect(reply.status).toBe(201)
      expectSame(reply, expected)
      model.pets.push(expected)
    }
  })

const addingTogether = fc
  .array(fc.record({ which, name }), { minLength: 2, maxLength: 5 })
  .map((many): Step => {
    return async (model, real) => {
      const replies = await Promise.all(
        many.map(({ which, name }) =>
          send(real, which, 'POST', '/v1/pets', { name, categoryId: 1n })
        )
      )
      const added = replies.map(reply => bodyOf(reply) as { id: number; name: string })
      expect(added.map(({ name }) => name)).toEqual(many.map(({ name }) => name))
      const ids = added.map(({ id }) => id).sort((one, other) => one - other)
      expect(ids).toEqual(many.map((_, index) => model.pets.length + 1 + index))
      for (const { id, name } of added)
        model.pets[id - 1] = { id: BigInt(id), name, categoryId: 1n, status: undefined }
    }
  })

const refused = fc
  .record({
    which,
    body: fc.constantFrom(
      { name: ' ', categoryId: 1 },
      { name: 'x' },
      { name: 'x', categoryId: 1.5 },
      []
    )
  })
  .map(({ which, body }): Step => {
    return async (_, real) =>
      expect((await send(real, which, 'POST', '/v1/pets', body)).status).toBe(400)
  })

const listing = fc
  .record({ which, status, limit: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }) })
  .map(({ which, status, limit }): Step => {
    return async (model, real) => {
      const query = new URLSearchParams({
        ...(status && { status }),
        ...(limit && { limit: String(limit) })
      })
      const reply = await send(real, which, 'GET', `/v1/pets?${query}`)
      const pets = model.pets
        .filter(pet => status === undefined || pet.status === status)
        .slice(0, limit ?? 20)
      expect(reply.status).toBe(200)
      expectSame(reply, pets)
    }
  })

const getting = fc
  .record({ which, id: fc.oneof(fc.bigInt({ min: 0n, max: 12n }), int64) })
  .map(({ which, id }): Step => {
    return async (model, real) => {
      const pet = model.pets.find(candidate => candidate.id === id)
      const reply = await send(real, which, 'GET', `/v1/pets/${id}`)
      expect(reply.status).toBe(pet === undefined ? 404 : 200)
      if (pet !== undefined) expectSame(reply, pet)
    }
  })

const sending = fc.record({ which, message: text }).map(({ which, message }): Step => {
  return async (model, real) => {
    const reply = await send(real, which, 'POST', '/messages', { message })
    model.messages += 1
    expect(reply.status).toBe(202)
    expect(bodyOf(reply)).toMatchObject({ id: String(model.messages), message, status: 'queued' })
  }
})

const reopening = which.map((which): Step => {
  return async (_, real) => {
    await real.programs[which]?.database.close()
    real.programs[which] = await openProgram(real.path)
  }
})

test('any requests in any order, through either of two programs, get the replies of the model', async () => {
  const directory = temporaryDirectory()
  let run = 0
  const step = fc.oneof(
    { arbitrary: adding, weight: 5 },
    { arbitrary: listing, weight: 5 },
    { arbitrary: getting, weight: 2 },
    { arbitrary: addingTogether, weight: 2 },
    refused,
    sending,
    reopening
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async steps => {
      run += 1
      const path = join(directory, `${run}.db`)
      const real = { path, programs: [await openProgram(path), await openProgram(path)] }
      const model = { pets: [], messages: 0 }
      try {
        for (const take of steps) await take(model, real)
      } finally {
        for (const { database } of real.programs) await database.close()
      }
    }),
    { numRuns: 25 }
  )
}, 120_000)

async function openProgram(path: string) {
  const database = await openDatabase({ path, samples: false })
  return {
    database,
    handler: createHandler({ database, acceptsKey: () => true, now: () => new Date() })
  }
}

async function send(
  { programs }: Real,
  which: number,
  method: string,
  path: string,
  body?: unknown
): Promise<Reply> {
  const program = programs[which]
  if (program === undefined) throw new Error('there are only two programs')
  const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
  const sent = body === undefined ? undefined : stringifyJson(body)
  const reply = await program.handler(
    incoming({ method, url: `http://local${path}`, headers, body: sent })
  )
  expectDescribed({ method, path, ...reply, body: Buffer.from(reply.body).toString() })
  return reply
}

function bodyOf(reply: Reply): unknown {
  return parseJson(Buffer.from(reply.body).toString())
}

/** The order of the fields does not matter, and an undefined field counts as missing. */
function expectSame(reply: Reply, expected: unknown): void {
  expect(bodyOf(reply)).toEqual(parseJson(stringifyJson(expected)))
}
