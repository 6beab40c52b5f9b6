import { expect, test } from 'vitest'
import type { Pet } from '../../../src/model/pets.ts'
import { changesBetween } from '../../../src/output/watch/changes.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const tom: Pet = { id: 2n, name: 'Tom', categoryId: 1n }
const sold: Pet = { ...rex, status: 'sold' }

test.each<[string, Pet[], Pet[], unknown[]]>([
  ['nothing', [rex], [rex], []],
  ['another order of the same', [rex, tom], [tom, rex], []],
  ['another order of the fields', [rex], [{ status: 'available', categoryId: 2n, name: 'Rex', id: 1n }], []],
  ['one more', [rex], [rex, tom], [{ kind: 'added', pet: tom }]],
  ['one less', [rex, tom], [tom], [{ kind: 'gone', pet: rex }]],
  ['another state', [rex], [sold], [{ kind: 'changed', pet: sold, was: rex }]],
  ['a field that came', [tom], [{ ...tom, tags: [1] }], [{ kind: 'changed', pet: { ...tom, tags: [1] }, was: tom }]],
  [
    'a field that went',
    [rex],
    [{ ...rex, status: undefined }],
    [expect.objectContaining({ kind: 'changed', was: rex })],
  ],
  [
    'all at once, what is gone last',
    [rex, tom],
    [sold, { ...tom, id: 9007199254740993n }],
    [
      expect.objectContaining({ kind: 'changed' }),
      expect.objectContaining({ kind: 'added' }),
      { kind: 'gone', pet: tom },
    ],
  ],
  [
    'ids that a double would mix up',
    [{ ...tom, id: 9007199254740992n }],
    [{ ...tom, id: 9007199254740993n }],
    [{}, {}].map(() => expect.anything()),
  ],
])('%s', (_, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes)
})
