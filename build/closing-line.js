/**
 * The parts of vitest's JSON report that the closing line needs.
 *
 * @typedef {object} Report
 * @property {{ status: string, assertionResults: { status: string, fullName: string }[] }[]} testResults one entry for each file
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/**
 * @param {Report | undefined} report
 * @returns {Counts}
 */
export function countTests(report) {
  const files = report?.testResults ?? []
  const statuses = files.flatMap((file) => file.assertionResults.map((result) => result.status))
  // A file that cannot be loaded has no tests in the report, but counts as a failure.
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
  )
  const passed = statuses.filter((status) => status === 'passed').length
  const failed = statuses.filter((status) => status === 'failed').length
  return { passed, failed: failed + broken.length, skipped: statuses.length - passed - failed }
}

/**
 * The names of the tests that were not run.
 *
 * @param {Report | undefined} report
 */
export function skippedNames(report) {
  return (report?.testResults ?? [])
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName)
}

/** @param {Counts} counts */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
