import { expect, test } from 'vitest'
import type { Pet } from '../../../src/model/schema.ts'
import { changesBetween, waitAfter } from '../../../src/output/watch/watch.ts'
import { recordingServer } from '../../support/recording-server.ts'
import { runCli } from '../../support/run-cli.ts'

test.each([
  [0, 5, undefined, 5],
  [1, 5, undefined, 10],
  [4, 5, 2, 60],
  [400, 5, undefined, 60],
  [1, 300, undefined, 300],
  [1, 5, 3600, 3600],
  [1, 5, 1e9, 86_400]
])(
  'after %i failures in a row, an interval of %i s and a Retry-After of %s, the wait is %i s',
  (failures, seconds, asked, wait) => {
    expect(waitAfter(failures, seconds, asked)).toBe(wait)
  }
)

test.each([
  ['a refused key', { status: 401, json: { code: 'unauthorized', message: 'no', status: 401 } }, 4],
  [
    'a key without permission',
    { status: 403, json: { code: 'forbidden', message: 'no', status: 403 } },
    4
  ]
])('%s ends --watch at once', async (_, answer, code) => {
  const server = await recordingServer(answer)
  const env = { PETSTORE_API_KEY: 'secret', PETSTORE_BASE_URL: server.url }
  const result = await runCli(['pets', 'list', '--watch', '0.1'], { env })
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
  expect(server.requests.length).toBe(1)
})

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const tom: Pet = { id: 2n, name: 'Tom', categoryId: 1n }
const sold: Pet = { ...rex, status: 'sold' }

test.each<[string, Pet[], Pet[], unknown[]]>([
  ['nothing', [rex], [rex], []],
  ['no change in another order of pets', [rex, tom], [tom, rex], []],
  [
    'no change in another order of fields',
    [rex],
    [{ status: 'available', categoryId: 2n, name: 'Rex', id: 1n }],
    []
  ],
  ['one more', [rex], [rex, tom], [{ kind: 'added', pet: tom }]],
  ['one less', [rex, tom], [tom], [{ kind: 'gone', pet: rex }]],
  ['another state', [rex], [sold], [{ kind: 'changed', pet: sold, was: rex }]],
  [
    'an added field',
    [tom],
    [{ ...tom, tags: [1] }],
    [{ kind: 'changed', pet: { ...tom, tags: [1] }, was: tom }]
  ],
  [
    'a removed field',
    [rex],
    [{ ...rex, status: undefined }],
    [expect.objectContaining({ kind: 'changed', was: rex })]
  ],
  [
    'all kinds of changes, removed pets last',
    [rex, tom],
    [sold, { ...tom, id: 9007199254740993n }],
    [
      expect.objectContaining({ kind: 'changed' }),
      expect.objectContaining({ kind: 'added' }),
      { kind: 'gone', pet: tom }
    ]
  ],
  [
    'ids that are equal as doubles',
    [{ ...tom, id: 9007199254740992n }],
    [{ ...tom, id: 9007199254740993n }],
    [{}, {}].map(() => expect.anything())
  ]
])('changesBetween finds %s', (_, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes)
})
