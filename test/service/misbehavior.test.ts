import { describe, expect, test, vi } from 'vitest'
import { parseJson } from '../../src/model/json.ts'
import { jsonReply } from '../../src/service/http.ts'
import { delayReplies, type FaultPlan, injectFaults } from '../../src/service/misbehavior.ts'
import { incoming } from './incoming.ts'
import { startService } from './running-service.ts'

const calm: FaultPlan = { latencyMilliseconds: 0, share: 0, failWith: 503, seed: 7 }

function faulty(plan: Partial<FaultPlan>) {
  const work = vi.fn(async () => jsonReply(200, []))
  const request = incoming({ method: 'GET', url: 'http://local/v1/pets', headers: {} })
  const intercept = injectFaults({ ...calm, ...plan })
  return { work, send: () => intercept(request, work) }
}

async function results(plan: Partial<FaultPlan>, count: number): Promise<(number | string)[]> {
  const { send } = faulty(plan)
  const all: (number | string)[] = []
  for (let number = 0; number < count; number += 1) {
    const result = await send()
    all.push(result.fault ?? result.status)
  }
  return all
}

describe('the requests that fail', () => {
  test('are the same for the same seed, and different for another seed', async () => {
    const first = await results({ share: 0.3, seed: 7 }, 200)
    expect(await results({ share: 0.3, seed: 7 }, 200)).toEqual(first)
    expect(await results({ share: 0.3, seed: 8 }, 200)).not.toEqual(first)
  })

  test.each([
    [0, 0, 0],
    [0.1, 60, 140],
    [0.5, 430, 570],
    [1, 1000, 1000]
  ])('are, for a share of %d, from %i to %i of 1000', async (share, least, most) => {
    const failed = (await results({ share }, 1000)).filter(result => result === 503).length
    expect(failed).toBeGreaterThanOrEqual(least)
    expect(failed).toBeLessThanOrEqual(most)
  })

  test('include, for a larger share, those of a smaller share', async () => {
    const few = await results({ share: 0.2 }, 200)
    const many = await results({ share: 0.4 }, 200)
    for (const [index, result] of few.entries()) if (result === 503) expect(many[index]).toBe(503)
  })

  test('never include /health or requests without the key, which do not change the others', async () => {
    const withOthers = async (others: boolean) => {
      const service = await startService({ faults: { ...calm, share: 0.5, failWith: 500 } })
      const statuses: number[] = []
      for (let number = 0; number < 20; number += 1) {
        if (others) {
          expect((await service.send('GET', '/health')).status).toBe(200)
          expect((await service.send('GET', '/health', { authorization: undefined })).status).toBe(
            200
          )
          expect(
            (await service.send('GET', '/v1/pets', { authorization: 'Bearer wrong' })).status
          ).toBe(401)
          expect((await service.send('GET', '/v1/pets', { authorization: undefined })).status).toBe(
            401
          )
        }
        statuses.push((await service.send('GET', '/v1/pets')).status)
      }
      await service.close()
      return statuses
    }
    const statuses = await withOthers(true)
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    expect(await withOthers(false)).toEqual(statuses)
  })
})

describe('how requests fail', () => {
  test.each([
    [400, undefined],
    [429, '1'],
    [500, undefined],
    [503, '1'],
    [599, undefined]
  ])(
    'with %i, the request is not carried out, and Retry-After is %s',
    async (status, retryAfter) => {
      const { send, work } = faulty({ share: 1, failWith: status })
      const reply = await send()
      expect(reply.status).toBe(status)
      expect(reply.headers['retry-after']).toBe(retryAfter)
      expect(parseJson(Buffer.from(reply.body).toString())).toMatchObject({
        status,
        code: 'made_to_fail'
      })
      expect(work).not.toHaveBeenCalled()
    }
  )

  test.each(['dropped', 'stalled'] as const)(
    '%s, about half of the requests are carried out',
    async failWith => {
      const { send, work } = faulty({ share: 1, failWith })
      for (let number = 0; number < 400; number += 1) expect((await send()).fault).toBe(failWith)
      expect(work.mock.calls.length).toBeGreaterThan(140)
      expect(work.mock.calls.length).toBeLessThan(260)
    }
  )
})

test('a delay comes after the work, and ends when the server closes', async () => {
  const ending = new AbortController()
  const work = vi.fn(async () => jsonReply(200, 'reply'))
  const request = incoming({ method: 'GET', url: 'http://local/v1/pets', headers: {} })
  const late = delayReplies(work, 3_600_000, ending.signal)
  const replies = Array.from({ length: 20 }, () => late(request))
  expect(work).toHaveBeenCalledTimes(20)
  ending.abort()
  expect(await Promise.all(replies)).toHaveLength(20)
})
