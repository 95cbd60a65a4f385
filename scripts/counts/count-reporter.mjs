import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { flakyTest, noCounts } from './test-counts.mjs'

/**
 * Vitest reporter: writes a suite's counts to `--outputFile`. Vitest's own JSON report does not tell a test
 * that needed a second try from one that passed.
 */
export default class CountReporter {
  #file = ''

  /** @param {import('vitest/node').Vitest} vitest */
  onInit({ config }) {
    if (typeof config.outputFile !== 'string') throw new Error('This reporter needs --outputFile=FILE.')
    this.#file = path.resolve(config.root, config.outputFile)
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const counts = { ...noCounts(), failed: unhandled.length }
    for (const file of modules) {
      const tests = [...file.children.allTests()]
      const suites = [...file.children.allSuites()]
      const hasFailedTest = tests.some((test) => test.result().state === 'failed')
      // A file or hook that failed by itself.
      if (!hasFailedTest && [file, ...suites].some((one) => one.errors().length > 0)) counts.failed++
      for (const test of tests) {
        const { state, errors } = test.result()
        if (state === 'failed') counts.failed++
        else if (state === 'passed' && test.diagnostic()?.flaky)
          counts.flaky.push(flakyTest(`${file.relativeModuleId}: ${test.name}`, errors?.[0]))
        else if (state === 'passed') counts.passed++
        else if (['skip', 'todo'].includes(test.options.mode ?? '')) counts.skipped++
        else counts.notRun++
      }
    }
    mkdirSync(path.dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify(counts))
  }
}
