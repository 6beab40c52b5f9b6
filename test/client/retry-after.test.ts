import { describe, expect, test } from 'vitest'
import { retryAfter } from '../../src/client/retry-after.ts'

// A date without a zone is in GMT, wherever this machine is.
process.env.TZ = 'Asia/Tokyo'
const now = new Date('2030-01-01T00:00:00Z')

describe('Retry-After', () => {
  test.each<[value: string | string[] | undefined, seconds: number | undefined]>([
    ['0', 0],
    ['7', 7],
    [' 7 ', 7],
    ['1.5', 1.5],
    ['86400', 86_400],
    ['9'.repeat(400), 2 ** 31],
    [['3', '9'], 3],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30],
    ['Tuesday, 01-Jan-30 00:00:30 GMT', 30],
    ['Tue Jan  1 00:00:30 2030', 30],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['7 seconds', undefined],
    ['may 1', undefined],
    ['2030-01-01T00:00:30Z', undefined],
    ['Tue, 99 Xyz 2030 00:00:30 GMT', undefined],
  ])('%j is %s s', (value, seconds) => {
    expect(retryAfter({ headers: { 'retry-after': value } }, now)).toBe(seconds)
  })
})
