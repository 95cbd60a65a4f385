import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { failedTest, noCounts } from './test-counts.mjs'

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
    const counts = noCounts()
    const fail = (name, error) => {
      counts.failed++
      counts.failures.push(failedTest(name, error))
    }
    for (const error of unhandled) fail('outside of tests', error)
    for (const file of modules) {
      const tests = [...file.children.allTests()]
      const suites = [...file.children.allSuites()]
      const hasFailedTest = tests.some((test) => test.result().state === 'failed')
      // A file or hook that failed by itself.
      const broken = [file, ...suites].find((one) => one.errors().length > 0)
      if (broken && !hasFailedTest) fail(file.relativeModuleId, broken.errors()[0])
      for (const test of tests) {
        const { state, errors } = test.result()
        const name = `${file.relativeModuleId}: ${test.name}`
        if (state === 'failed') fail(name, errors[0])
        else if (state === 'passed' && test.diagnostic()?.flaky) counts.flaky.push(failedTest(name, errors?.[0]))
        else if (state === 'passed') counts.passed++
        else if (['skip', 'todo'].includes(test.options.mode ?? '')) counts.skipped++
        else counts.notRun++
      }
    }
    mkdirSync(path.dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify(counts))
  }
}
