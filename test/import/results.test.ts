import { expect, test } from 'vitest'
import { createTally } from '../../src/import/results.ts'
import { readRows } from '../../src/import/rows.ts'

test('a tally counts the finished rows', async () => {
  const content = '{"name":"Rex","categoryId":1}\n\nnonsense\n{"name":"Ida","categoryId":2}\n'
  async function* chunks() {
    yield Buffer.from(content)
  }
  const tally = createTally()
  for await (const rows of readRows(chunks(), { name: 'pets', format: 'ndjson' }).batches) {
    tally.add(rows.map((row) => ({ row, outcome: 'pet' in row ? 'added' : 'invalid' })))
  }
  expect(tally.counts).toEqual({ added: 2, skipped: 0, rejected: 0, invalid: 1, doubtful: 0, valid: 0 })
  // The blank line is not a row.
  expect(tally.finished).toBe(3)
})
