// Large states as trees in Chromium, bytes already loaded: the console's tree against two viewers and `JSON.parse`,
// alternating. BENCH_SIZES=1,10 (megabytes) for a quick run; BENCH_ROUNDS as elsewhere.
import { byTurns, median, ROUNDS, row } from './live/rounds.mjs'
import { measureConsole } from './state/console-page.mjs'
import { longest, startStage } from './state/stage.mjs'
import { stateText } from './state/states.mjs'

const SIZES = (process.env.BENCH_SIZES ?? '1,10,50,100').split(',').map(Number)
const GIVE_UP_MS = 60_000
const ROWS = { ours: '[role=treeitem]', parse: '[role=treeitem]', vanilla: '.jse-key', lite: '[role=treeitem]' }
const NAMES = {
  parse: 'JSON.parse and a line of it drawn',
  vanilla: 'vanilla-jsoneditor',
  lite: 'react-json-view-lite, closed',
}

/** @returns one row per figure and size. */
export async function measure() {
  const stage = await startStage()
  try {
    const rows = []
    for (const size of SIZES) {
      stage.put('state.json', stateText(size))
      const sides = { parse: 'parse', vanilla: 'vanilla', lite: 'lite', ours: 'ours' }
      const seen = await byTurns(
        sides,
        { count: Math.min(5, ROUNDS), canary: 'parse', read: ({ first }) => first, slack: 5 },
        (side) => show(stage, side),
      )
      rows.push(...rowsOf(size, seen))
    }
    return [...rows, ...(await measureConsole(SIZES, Math.min(3, ROUNDS)))]
  } finally {
    await stage.end()
  }
}

/** One turn of a side: its first rows, their cost for the page, and for ours the next interactions. */
async function show(stage, side) {
  const page = await stage.openPage(side, ['state.json'])
  try {
    const first = await page.evaluate(
      ([rows, timeoutMs]) =>
        new Promise((resolve, reject) => {
          // In a task of the page, because tasks run by the debugger are not reported as long.
          setTimeout(() => {
            const began = performance.now()
            window.page.show(window.given[0])
            window.parsedAfter = performance.now() - began
            window.drawn(rows, timeoutMs).then((at) => resolve(at - began), reject)
          })
        }),
      [ROWS[side], GIVE_UP_MS],
    )
    const bare = side === 'parse' ? { bare: await page.evaluate(() => window.parsedAfter) } : {}
    const more = side === 'ours' ? await use(page) : {}
    return { first, ...bare, nodes: await nodesOf(page), longest: await longest(page), ...more }
  } finally {
    await page.close()
  }
}

const nodesOf = (page) => page.evaluate(() => document.querySelectorAll('#root *').length)

/** Expands the messages and one of them, scrolls, and searches for the last text. */
async function use(page) {
  await page.waitForFunction(() => !document.querySelector('[aria-busy]'), null, { timeout: GIVE_UP_MS })
  const expand = await page.evaluate(async () => {
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    /** @returns {any} */
    const lineOf = (key) =>
      [...document.querySelectorAll('[role=treeitem]')].find((one) => one.textContent?.slice(1).startsWith(`${key}: `))
    const times = []
    for (const key of ['messages', '0', '1', '2']) {
      const began = performance.now()
      lineOf(key).firstElementChild.click()
      while (lineOf(key).getAttribute('aria-expanded') !== 'true') await new Promise((resolve) => setTimeout(resolve))
      await painted()
      times.push(performance.now() - began)
    }
    return Math.max(...times)
  })
  const search = await page.evaluate(async () => {
    const field = /** @type {HTMLInputElement} */ (document.querySelector('input[type=search]'))
    const began = performance.now()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'needle-at-the-end')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    const told = () => document.querySelector('[aria-live]')?.textContent ?? ''
    while (!/^1 of/.test(told()) && performance.now() - began < 60_000)
      await new Promise((resolve) => setTimeout(resolve, 1))
    return performance.now() - began
  })
  return { expand, search }
}

function rowsOf(size, seen) {
  const id = `state ${size} MB`
  const { rounds, left } = seen
  const only = (name) => ({ rounds: rounds.map(({ ours }) => ({ ours: ours[name] })), left })
  const of = ({ first }) => first
  const blocks = Object.fromEntries(
    Object.keys(NAMES).map((side) => [side, Math.round(median(rounds.map((round) => round[side].longest)))]),
  )
  const nodes = Object.fromEntries(['vanilla', 'lite'].map((side) => [side, rounds[0][side].nodes]))
  return [
    // Parsing a megabyte takes less than a frame, which nothing that draws can match.
    row(`${id}: first rows`, 'ms', seen, {
      peer: 'parse',
      name: 'JSON.parse alone, nothing drawn',
      of: ({ first, bare = first }) => bare,
      goal: '<= 1.3',
    }),
    ...['parse', 'vanilla', 'lite'].map((peer) =>
      row(`${id}: first rows`, 'ms', seen, {
        peer,
        name: NAMES[peer],
        of,
        ...(peer === 'parse' && { goal: '<= 1.3' }),
        ...(peer === 'vanilla' && { goal: '<= 0.4' }),
      }),
    ),
    row(`${id}: longest block of the page`, 'ms', only('longest'), { goal: '<= 50 ms', peers_ms: blocks }),
    row(`${id}: DOM nodes`, 'nodes', only('nodes'), { goal: '<= 300', peers: nodes }),
    row(`${id}: slowest expand`, 'ms', only('expand'), { goal: '< 50 ms' }),
    row(`${id}: search to its only hit, in the last message`, 'ms', only('search'), {}),
  ]
}
