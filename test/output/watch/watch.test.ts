import { expect, test } from 'vitest'
import type { Pet } from '../../../src/model/schema.ts'
import { changesBetween, waitAfter } from '../../../src/output/watch/watch.ts'
import { recordingServer } from '../../support/recording-server.ts'
import { runCli } from '../../support/run-cli.ts'

test.each([
  [0, 5, 5],
  [1, 5, 10],
  [3, 5, 40],
  [4, 5, 60],
  [400, 5, 60],
  [1, 300, 300],
])('after %i failures in a row with an interval of %i seconds, the wait is %i seconds', (failures, seconds, wait) => {
  expect(waitAfter(failures, seconds)).toBe(wait)
})

test.each([
  [['--watch', '0']],
  [['--watch', '0.05']],
  [['--watch', '86401']],
  [['--watch', 'soon']],
  [['--watch', '-1']],
  [['--watch', '--output', 'csv']],
  [['--watch', '--output', 'table']],
])('%j is a usage error, and nothing is sent', async (options) => {
  const server = await recordingServer({ json: [] })
  const env = { PETSTORE_API_KEY: 'secret', PETSTORE_BASE_URL: server.url }
  const { code, stderr } = await runCli(['pets', 'list', ...options], { env })
  expect(code).toBe(2)
  expect(stderr).toMatch(/watch|'-1'/)
  expect(server.requests).toEqual([])
})

test.each([
  ['a refused key', { status: 401, json: { code: 'unauthorized', message: 'no', status: 401 } }, 4],
  ['a key without permission', { status: 403, json: { code: 'forbidden', message: 'no', status: 403 } }, 4],
])('%s ends --watch at once', async (_, answer, code) => {
  const server = await recordingServer(answer)
  const env = { PETSTORE_API_KEY: 'secret', PETSTORE_BASE_URL: server.url }
  const result = await runCli(['pets', 'list', '--watch', '0.1'], { env })
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
  expect(server.requests.length).toBe(1)
})

test('--watch ends at once without a base URL', async () => {
  expect((await runCli(['pets', 'list', '--watch'])).code).toBe(9)
})

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const tom: Pet = { id: 2n, name: 'Tom', categoryId: 1n }
const sold: Pet = { ...rex, status: 'sold' }

test.each<[string, Pet[], Pet[], unknown[]]>([
  ['nothing', [rex], [rex], []],
  ['no change in another order of pets', [rex, tom], [tom, rex], []],
  ['no change in another order of fields', [rex], [{ status: 'available', categoryId: 2n, name: 'Rex', id: 1n }], []],
  ['one more', [rex], [rex, tom], [{ kind: 'added', pet: tom }]],
  ['one less', [rex, tom], [tom], [{ kind: 'gone', pet: rex }]],
  ['another state', [rex], [sold], [{ kind: 'changed', pet: sold, was: rex }]],
  ['an added field', [tom], [{ ...tom, tags: [1] }], [{ kind: 'changed', pet: { ...tom, tags: [1] }, was: tom }]],
  ['a removed field', [rex], [{ ...rex, status: undefined }], [expect.objectContaining({ kind: 'changed', was: rex })]],
  [
    'all kinds of changes, removed pets last',
    [rex, tom],
    [sold, { ...tom, id: 9007199254740993n }],
    [
      expect.objectContaining({ kind: 'changed' }),
      expect.objectContaining({ kind: 'added' }),
      { kind: 'gone', pet: tom },
    ],
  ],
  [
    'ids that are equal as doubles',
    [{ ...tom, id: 9007199254740992n }],
    [{ ...tom, id: 9007199254740993n }],
    [{}, {}].map(() => expect.anything()),
  ],
])('changesBetween finds %s', (_, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes)
})
