import { test } from 'vitest'
import { checkMonths } from '../import/months.ts'

test(
  '300 times months of edits, copies, kills and decisions: the import decides what the model decides',
  () => checkMonths(300),
  900_000
)
