import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FIRST_PAGE_SCRIPT } from './first-page'

const FRAME_MS = 16
let isHidden = false
beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden)
})
afterEach(() => {
  isHidden = false
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

test('the program starts after the first frame', async () => {
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

test('it does not wait in a tab that draws nothing', async () => {
  isHidden = true
  const program = start()
  await vi.advanceTimersByTimeAsync(0)
  expect(program.isStarted).toBe(true)
})

test('it starts after 200 ms if no frame comes', async () => {
  vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(0)
  const program = start()
  await vi.advanceTimersByTimeAsync(199)
  expect(program.isStarted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(program.isStarted).toBe(true)
})

test('the framework keeps both where the early script takes them', () => {
  const server = readFileSync('node_modules/next/dist/compiled/next-server/app-page-turbo.runtime.prod.js', 'utf8')
  expect(server).toContain('"number"!==typeof $RT?requestAnimationFrame(')
  const client = readFileSync('node_modules/next/dist/client/app-bootstrap.js', 'utf8')
  expect(client).toContain('loadScriptsInSequence(self.__next_s,')
  expect(client).toContain('return scripts.reduce(')
})
