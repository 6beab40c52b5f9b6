/**
 * A reporter for vitest: names the tests that were not run, and ends the output with one line that
 * counts all tests.
 *
 * @type {import('vitest/node').Reporter}
 */
export const closingLine = {
  onTestRunEnd(modules) {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const inState = (/** @type {string} */ state) =>
      tests.filter(test => test.result().state === state)
    // A file that cannot be loaded has no tests, but counts as a failure.
    const broken = modules.filter(module => module.errors().length > 0)
    const skipped = inState('skipped')
    for (const test of skipped) console.log(`skipped: ${test.fullName}`)
    const failed = inState('failed').length + broken.length
    const more = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
    console.log(`${inState('passed').length} passed, ${failed} failed${more}`)
  }
}
