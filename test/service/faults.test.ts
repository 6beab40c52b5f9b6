import { describe, expect, test, vi } from 'vitest'
import type { Request } from '../../src/model/exchange.ts'
import { parseJson } from '../../src/model/json.ts'
import { type FaultPlan, withFaults } from '../../src/service/faults.ts'
import { jsonReply } from '../../src/service/replies.ts'
import type { Outcome } from '../../src/service/server.ts'

const calm: FaultPlan = { latencyMilliseconds: 0, share: 0, failWith: 503, seed: 7 }

function faulty(plan: Partial<FaultPlan>, ending = new AbortController().signal) {
  const handler = vi.fn(async () => jsonReply(200, []))
  const acceptsKey = (key: string) => key === 'right'
  return { handler, answer: withFaults({ handler, plan: { ...calm, ...plan }, acceptsKey, ending }) }
}

function request(path = '/v1/pets', key = 'right'): Request {
  return { method: 'GET', url: `http://local${path}`, headers: { authorization: `Bearer ${key}` } }
}

async function outcomes(plan: Partial<FaultPlan>, count: number): Promise<(number | string)[]> {
  const { answer } = faulty(plan)
  const all: Outcome[] = []
  for (let number = 0; number < count; number += 1) all.push(await answer(request()))
  return all.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.status))
}

describe('which requests fail', () => {
  test('the same ones for the same seed, others for another', async () => {
    const first = await outcomes({ share: 0.3, seed: 7 }, 200)
    expect(await outcomes({ share: 0.3, seed: 7 }, 200)).toEqual(first)
    expect(await outcomes({ share: 0.3, seed: 8 }, 200)).not.toEqual(first)
  })

  test.each([
    [0, 0, 0],
    [0.1, 60, 140],
    [0.5, 430, 570],
    [1, 1000, 1000],
  ])('a share of %d is from %i to %i of 1000', async (share, least, most) => {
    const failed = (await outcomes({ share }, 1000)).filter((outcome) => outcome === 503).length
    expect(failed).toBeGreaterThanOrEqual(least)
    expect(failed).toBeLessThanOrEqual(most)
  })

  test('a larger share fails for the same requests, and more', async () => {
    const few = await outcomes({ share: 0.2 }, 200)
    const many = await outcomes({ share: 0.4 }, 200)
    for (const [index, outcome] of few.entries()) if (outcome === 503) expect(many[index]).toBe(503)
  })

  test('never those without the key, nor /health, which do not count either', async () => {
    const { answer, handler } = faulty({ share: 1, latencyMilliseconds: 3_600_000 })
    for (const innocent of [request('/v1/pets', 'wrong'), request('/health'), { ...request(), headers: {} }]) {
      expect(await answer(innocent)).toMatchObject({ status: 200 })
    }
    expect(handler).toHaveBeenCalledTimes(3)
  })
})

describe('how they fail', () => {
  test.each([
    [400, undefined],
    [429, '1'],
    [500, undefined],
    [503, '1'],
    [599, undefined],
  ])('%i comes instead of the work, with Retry-After %s', async (status, retryAfter) => {
    const { answer, handler } = faulty({ share: 1, failWith: status })
    const reply = await answer(request())
    if (typeof reply === 'string') throw new Error(reply)
    expect(reply.status).toBe(status)
    expect(reply.headers['retry-after']).toBe(retryAfter)
    expect(parseJson(Buffer.from(reply.body).toString())).toMatchObject({ status, code: 'made_to_fail' })
    expect(handler).not.toHaveBeenCalled()
  })

  test.each([
    ['drop', 'dropped'],
    ['stall', 'stalled'],
  ] as const)('%s comes before the work and after it, about as often', async (failWith, outcome) => {
    const { answer, handler } = faulty({ share: 1, failWith })
    for (let number = 0; number < 400; number += 1) expect(await answer(request())).toBe(outcome)
    expect(handler.mock.calls.length).toBeGreaterThan(140)
    expect(handler.mock.calls.length).toBeLessThan(260)
  })
})

describe('latency', () => {
  test('comes before the work, and the end cuts it short', async () => {
    const ending = new AbortController()
    const { answer, handler } = faulty({ latencyMilliseconds: 3_600_000 }, ending.signal)
    const replies = Array.from({ length: 20 }, () => answer(request()))
    await new Promise((resolve) => setImmediate(resolve))
    expect(handler).not.toHaveBeenCalled()
    ending.abort()
    expect(await Promise.all(replies)).toHaveLength(20)
    expect(await answer(request())).toMatchObject({ status: 200 })
  })

  test('is as long as was asked for', async () => {
    const { answer } = faulty({ latencyMilliseconds: 50 })
    const start = performance.now()
    await answer(request())
    expect(performance.now() - start).toBeGreaterThan(48)
  })
})
