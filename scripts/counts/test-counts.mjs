// How `npm test` counts. Failed tests are named, and so is one that passed only when retried, which counts as flaky.
import { stripVTControlCharacters } from 'node:util'

/**
 * `failures` and `flaky` name the tests, with the first lines of why they failed.
 * @typedef {{ passed: number, failed: number, skipped: number, notRun: number, failures: string[], flaky: string[] }} Counts
 */

/** @returns {Counts} */
export const noCounts = () => ({ passed: 0, failed: 0, skipped: 0, notRun: 0, failures: [], flaky: [] })

/**
 * Names a test with the first lines of why it failed: all output is too long to be kept everywhere.
 * @param {string} name
 * @param {{ message?: string, diff?: string } | undefined} error
 */
export function failedTest(name, error) {
  const reason = stripVTControlCharacters([error?.message, error?.diff].filter(Boolean).join('\n'))
  const lines = reason.split('\n').filter((line) => line.trim() !== '')
  return [name, ...lines.slice(0, 15)].join('\n    ')
}

/** Counts of Playwright's JSON report. @returns {Counts} */
export function countPlaywright(report) {
  const counts = noCounts()
  counts.failed += report.errors.length
  counts.failures.push(...report.errors.map((error) => failedTest('outside of tests', error)))
  const walk = (suite) => {
    for (const { title, file, tests } of suite.specs)
      for (const { status, expectedStatus, results } of tests) {
        const failed = failedTest(`${file}: ${title}`, results[0]?.error)
        if (status === 'flaky') counts.flaky.push(failed)
        else if (status === 'expected') counts.passed++
        else if (status === 'unexpected') {
          counts.failed++
          counts.failures.push(failed)
        } else if (expectedStatus === 'skipped') counts.skipped++
        else counts.notRun++
      }
    suite.suites?.forEach(walk)
  }
  report.suites.forEach(walk)
  return counts
}

/** Adds a suite with exit code `status`. Without a report, or if nothing ran, it has failed. */
export function settleSuite(counts, status) {
  if (!counts) return { ...noCounts(), failed: 1 }
  const isEmpty = counts.passed + counts.flaky.length === 0
  return counts.failed === 0 && (status !== 0 || isEmpty) ? { ...counts, failed: 1 } : counts
}

/** The last lines of a run; the very last one always has the same form. */
export function closingLines(counts, minutes, notRun) {
  const { passed, failed, skipped, failures, flaky } = counts
  const left = counts.notRun + notRun.length
  return [
    ...failures.map((name) => `[test] failed: ${name}`),
    ...flaky.map((name) => `[test] flaky, passed only on a second try: ${name}`),
    ...(notRun.length > 0 ? [`[test] not run: ${notRun.join(', ')}`] : []),
    `[test] ${minutes.toFixed(1)} minutes; ${flaky.length} flaky, counted as neither passed nor failed; ${left} not run, counted as skipped`,
    `${passed} passed, ${failed} failed, ${skipped + left} skipped`,
  ]
}
