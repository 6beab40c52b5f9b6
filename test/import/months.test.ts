import { test } from 'vitest'
import { checkMonths } from './months.ts'

test(
  'months of edits, copies and decisions: the import decides what the model decides',
  () => checkMonths(5, 64),
  60_000
)
