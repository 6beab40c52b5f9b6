/**
 * A reporter for vitest: names the tests that were not run, and ends the output with one line that
 * counts all tests.
 *
 * @type {import('vitest/node').Reporter}
 */
export const closingLine = {
  onTestRunEnd(modules) {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const passed = tests.filter(test => test.result().state === 'passed').length
    const failed = tests.filter(test => test.result().state === 'failed').length
    // A file that cannot be loaded has no tests, but counts as a failure.
    const broken = modules.filter(module => module.errors().length > 0).length
    for (const test of tests)
      if (test.result().state === 'skipped') console.log(`skipped: ${test.fullName}`)
    const skipped = tests.length - passed - failed
    console.log(
      `${passed} passed, ${failed + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
    )
  }
}
