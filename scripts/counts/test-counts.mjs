// How `npm test` counts. A test that passed only when retried counts as flaky and is named.
import { stripVTControlCharacters } from 'node:util'

/** @typedef {{ passed: number, failed: number, skipped: number, notRun: number, flaky: string[] }} Counts */

/** @returns {Counts} */
export const noCounts = () => ({ passed: 0, failed: 0, skipped: 0, notRun: 0, flaky: [] })

/**
 * Names a flaky test with the first lines of why it failed, which the runners do not print.
 * @param {string} name
 * @param {{ message?: string, diff?: string } | undefined} error of its first try
 */
export function flakyTest(name, error) {
  const reason = stripVTControlCharacters([error?.message, error?.diff].filter(Boolean).join('\n'))
  const lines = reason.split('\n').filter((line) => line.trim() !== '')
  return [name, ...lines.slice(0, 15)].join('\n    ')
}

/** Counts of Playwright's JSON report. @returns {Counts} */
export function countPlaywright(report) {
  const counts = noCounts()
  counts.failed += report.errors.length
  const walk = (suite) => {
    for (const { title, file, tests } of suite.specs)
      for (const { status, expectedStatus, results } of tests) {
        if (status === 'flaky') counts.flaky.push(flakyTest(`${file}: ${title}`, results[0]?.error))
        else if (status === 'expected') counts.passed++
        else if (status === 'unexpected') counts.failed++
        else if (expectedStatus === 'skipped') counts.skipped++
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
  const { passed, failed, skipped, flaky } = counts
  const left = counts.notRun + notRun.length
  return [
    ...flaky.map((name) => `[test] flaky, passed only on a second try: ${name}`),
    ...(notRun.length > 0 ? [`[test] not run: ${notRun.join(', ')}`] : []),
    `[test] ${minutes.toFixed(1)} minutes; ${flaky.length} flaky, counted as neither passed nor failed; ${left} not run, counted as skipped`,
    `${passed} passed, ${failed} failed, ${skipped + left} skipped`,
  ]
}
