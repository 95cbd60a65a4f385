// The differences of two large states from their bytes, in Chromium: ours in the worker against microdiff in the page.
// BENCH_SIZES=1 (megabytes) for a quick run.
import { byTurns, ROUNDS, row } from './live/rounds.mjs'
import { longest, startStage } from './state/stage.mjs'
import { changedText, plainText, stateText } from './state/states.mjs'

const SIZES = (process.env.BENCH_SIZES ?? '1,10').split(',').map(Number)

/** @returns two rows for each size. */
export async function measure() {
  const stage = await startStage()
  try {
    const rows = []
    for (const size of SIZES) {
      const text = plainText(stateText(size))
      stage.put('old.json', text)
      stage.put('now.json', changedText(text))
      const seen = await byTurns(
        { microdiff: 'parse', ours: 'ours' },
        { count: Math.min(5, ROUNDS), canary: 'microdiff', read: ({ ms }) => ms },
        (side) => compare(stage, side),
      )
      const of = ({ ms }) => ms
      const found = seen.rounds[0]
      rows.push(
        row(`diff ${size} MB`, 'ms', seen, {
          peer: 'microdiff',
          of,
          goal: '<= 1',
          differences: { ours: found.ours.count, microdiff: found.microdiff.count },
        }),
        row(`diff ${size} MB: longest block of the page`, 'ms', seen, {
          peer: 'microdiff',
          of: (figure) => figure.longest,
          goal: '<= 50 ms',
        }),
      )
    }
    return rows
  } finally {
    await stage.end()
  }
}

async function compare(stage, side) {
  const page = await stage.openPage(side, ['old.json', 'now.json'])
  try {
    const seen = await page.evaluate(async () => {
      // In a task of the page, because tasks run by the debugger are not reported as long.
      await new Promise((resolve) => setTimeout(resolve))
      const began = performance.now()
      const count = await window.page.compare(...window.given)
      return { ms: performance.now() - began, count }
    })
    // The browser reports a long task after it ended.
    await page.waitForTimeout(200)
    return { ...seen, longest: await longest(page) }
  } finally {
    await page.close()
  }
}
