import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FIRST_PAGE_SCRIPT } from './first-page'

const FRAME_MS = 16
let isHidden = false
let hasCome = true
beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(document, 'readyState', 'get').mockImplementation(() => (hasCome ? 'interactive' : 'loading'))
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden)
})
afterEach(() => {
  isHidden = false
  hasCome = true
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** What Next.js does with the list of scripts that come before it. */
function start(): { isStarted: boolean } {
  const program = { isStarted: false }
  const scripts: { reduce(): Promise<void> } = new Function(
    `const self = {}, window = {};${FIRST_PAGE_SCRIPT};return self.__next_s`,
  )()
  void scripts.reduce().then(() => {
    program.isStarted = true
  })
  return program
}

test('the program starts after the next frame of a page that has come', async () => {
  const program = start()
  let isPainted = false
  requestAnimationFrame(() => {
    isPainted = true
  })
  await vi.advanceTimersByTimeAsync(FRAME_MS - 1)
  expect([isPainted, program.isStarted]).toEqual([false, false])
  await vi.advanceTimersByTimeAsync(2)
  expect([isPainted, program.isStarted]).toEqual([true, true])
})

test('it waits for the frame that shows the whole page', async () => {
  hasCome = false
  const program = start()
  await vi.advanceTimersByTimeAsync(2 * FRAME_MS)
  expect(program.isStarted).toBe(false)
  dispatchEvent(new Event('DOMContentLoaded'))
  await vi.advanceTimersByTimeAsync(FRAME_MS + 2)
  expect(program.isStarted).toBe(true)
})

test('it does not wait in a tab that draws nothing', async () => {
  isHidden = true
  const program = start()
  await vi.advanceTimersByTimeAsync(0)
  expect(program.isStarted).toBe(true)
})

test.each([true, false])(
  'it starts after 300 ms if no frame comes or no whole page (the page has come: %s)',
  async (came) => {
    hasCome = came
    vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(0)
    const program = start()
    await vi.advanceTimersByTimeAsync(299)
    expect(program.isStarted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(program.isStarted).toBe(true)
  },
)

test('the framework keeps both where the early script takes them', () => {
  const server = readFileSync('node_modules/next/dist/compiled/next-server/app-page-turbo.runtime.prod.js', 'utf8')
  expect(server).toContain('"number"!==typeof $RT?requestAnimationFrame(')
  const client = readFileSync('node_modules/next/dist/client/app-bootstrap.js', 'utf8')
  expect(client).toContain('loadScriptsInSequence(self.__next_s,')
  expect(client).toContain('return scripts.reduce(')
})
