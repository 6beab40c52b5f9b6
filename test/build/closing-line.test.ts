import { expect, test } from 'vitest'
import { closingLine, countTests, skippedNames } from '../../build/closing-line.js'

const file = (status: string, ...results: string[]) => ({
  status,
  assertionResults: results.map((result) => ({ status: result, fullName: `a ${result} test` })),
})

test.each([
  ['nothing ran', undefined, '0 passed, 0 failed'],
  ['all passed', [file('passed', 'passed', 'passed')], '2 passed, 0 failed'],
  ['some failed', [file('failed', 'passed', 'failed'), file('passed', 'passed')], '2 passed, 1 failed'],
  ['some skipped', [file('passed', 'passed', 'skipped', 'pending', 'todo')], '1 passed, 0 failed, 3 skipped'],
  ['a file that could not be loaded', [file('failed'), file('passed', 'passed')], '1 passed, 1 failed'],
])('the closing line when %s', (_, testResults, line) => {
  expect(closingLine(countTests(testResults && { testResults }))).toBe(line)
})

test('tests that were not run are named', () => {
  const testResults = [file('passed', 'passed', 'skipped'), file('failed', 'failed', 'pending')]
  expect(skippedNames({ testResults })).toEqual(['a skipped test', 'a pending test'])
  expect(skippedNames(undefined)).toEqual([])
})
