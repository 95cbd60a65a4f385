// A Chromium for the live benches, and measurements inside a page.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { requireChromium } from '../../scripts/chromium.mjs'

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
]

export async function startChromium() {
  const executablePath = requireChromium()
  return await chromium.launch({ ...(executablePath && { executablePath }), args: FLAGS })
}

/** With windows, because the headless one has no hidden tabs. */
const WHOLE = [
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * One window whose background tabs are hidden and throttled as usual; in browsers started by Playwright each page
 * counts as visible. Returns `{ context, end() }`.
 */
export async function startWindow() {
  const file = WHOLE.find((one) => existsSync(one))
  if (!file) {
    console.error('Hidden tabs need a whole Chromium. Debian: apt-get install chromium')
    process.exit(1)
  }
  const profile = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-window-'))
  const own = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--window-size=1280,800']
  // Without an address it opens the start page of a search engine. Playwright waits for that, so a network without answers
  // would keep it from connecting.
  const child = spawn(file, [...FLAGS, ...own, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const address = await new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
      const [found] = /ws:\S+/.exec(said) ?? []
      if (found) resolve(found)
    })
    ended.then(() => reject(new Error(`Chromium ended: ${said}`)))
  })
  const browser = await chromium.connectOverCDP(address, { noDefaults: true })
  const end = async () => {
    // Closed normally, it ends its helpers too; after a kill they would keep writing to the folder.
    await (await browser.newBrowserCDPSession()).send('Browser.close')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
  return { context: browser.contexts()[0], end }
}

/** A signed-in context whose pages record their long tasks and input delays. */
export async function signedIn(browser, { url, cookies }, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  await addSession(context, { url, cookies })
  await context.addInitScript(watchPage)
  return context
}

export const addSession = (context, { url, cookies }) =>
  context.addCookies(cookies.list.map((cookie) => ({ ...cookie, url })))

function watchPage() {
  window.longTasks = []
  window.inputDelays = []
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) window.longTasks.push({ duration, startTime })
  }).observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'keydown' || name === 'input' || name === 'keyup') window.inputDelays.push(duration)
  }).observe(/** @type {PerformanceObserverInit} */ ({ type: 'event', durationThreshold: 16 }))
}

/**
 * Resolves with the time at which the page had drawn `count` entries of its log in the events lens. Checks only when
 * something was drawn, because requesting every frame would make the browser paint sixty times a second.
 */
export const drawnAt = (page, count, timeoutMs) =>
  page.evaluate(
    ([count, timeoutMs]) =>
      new Promise((resolve) => {
        const lastRow = () =>
          Number(
            document.querySelector('[role=listbox]')?.querySelector('[role=option]:last-child')?.firstElementChild
              ?.textContent ?? 0,
          )
        const end = () => {
          clearTimeout(timer)
          observer.disconnect()
          const told = document.querySelector('[role=tabpanel] [role=status]')?.textContent ?? ''
          // After the browser has painted it.
          requestAnimationFrame(() => setTimeout(() => resolve({ count: lastRow(), at: Date.now(), told })))
        }
        const look = () => lastRow() >= count && end()
        const observer = new MutationObserver(look)
        const timer = setTimeout(end, timeoutMs)
        observer.observe(document.body, { subtree: true, childList: true, characterData: true })
        look()
      }),
    [count, timeoutMs],
  )

/**
 * Looks at what is drawn in the events lens, at `places` places from the first row to the last. Returns the number of
 * entries that the page counts, and each row that was seen, by its own number, with its text.
 */
export const rowsDrawn = (page, places = 20) =>
  page.evaluate(async (places) => {
    const list = /** @type {HTMLElement} */ (document.querySelector('[role=listbox]'))
    const tabs = document.querySelector('[role=tablist]')?.textContent ?? ''
    const count = Number(/Events\s*([\d.,\s]+)/.exec(tabs)?.[1].replace(/\D/g, '') ?? 0)
    const windows = []
    for (let place = 0; place < places; place += 1) {
      list.scrollTop = ((list.scrollHeight - list.clientHeight) * place) / (places - 1)
      for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
      windows.push(
        [...list.querySelectorAll('[role=option]')].map((row) => ({
          seq: Number(row.firstElementChild?.textContent),
          text: row.lastElementChild?.textContent ?? '',
        })),
      )
    }
    return { count, windows }
  }, places)

/** Resolves with the time at which a peer's page had drawn `count` events, or with how far it got. */
export const seenAt = (page, count, timeoutMs) =>
  page.evaluate(
    ([count, timeoutMs]) =>
      new Promise((resolve) => {
        const until = performance.now() + timeoutMs
        const look = () => {
          if (window.seen?.count >= count) return resolve(window.seen)
          if (performance.now() > until) return resolve({ count: window.seen?.count ?? 0, at: Date.now() })
          setTimeout(look, 20)
        }
        look()
      }),
    [count, timeoutMs],
  )

/** Resolves with the time at which a text appeared in the page. */
export const textAt = (page, text, timeoutMs) =>
  page.evaluate(
    ([text, timeoutMs]) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => done(null), timeoutMs)
        const done = (at) => {
          clearTimeout(timer)
          observer.disconnect()
          resolve(at)
        }
        // Only in what changed: reading the whole page's text would cost more than what is measured.
        const has = (node) => node.textContent.length < 100_000 && node.textContent.includes(text)
        const observer = new MutationObserver((records) => {
          for (const { type, target, addedNodes } of records)
            if (type === 'characterData' ? has(target) : [...addedNodes].some(has))
              return requestAnimationFrame(() => setTimeout(() => done(Date.now())))
        })
        observer.observe(document.body, { subtree: true, childList: true, characterData: true })
      }),
    [text, timeoutMs],
  )

/** Reads a stream to its end, or up to `bytes`, and discards it: the fastest that any page can be. */
export const readBytes = (page, { url, init = {}, last }) =>
  page.evaluate(
    async ([url, init, last]) => {
      const reader = /** @type {ReadableStream<Uint8Array>} */ ((await fetch(url, init)).body).getReader()
      window.isOpen = true
      const needle = new TextEncoder().encode(last)
      const endsWithNeedle = (bytes) => {
        for (let at = Math.max(0, bytes.length - 4096); at <= bytes.length - needle.length; at += 1) {
          let index = 0
          while (index < needle.length && bytes[at + index] === needle[index]) index += 1
          if (index === needle.length) return true
        }
        return false
      }
      for (;;) {
        const { done, value } = await reader.read()
        if (done || endsWithNeedle(value)) return { at: Date.now() }
      }
    },
    [url, init, last],
  )

/**
 * Bytes of the page's objects after a collection, from a snapshot, which includes texts that Blink keeps outside of the
 * heap.
 */
export async function heapOf(page) {
  const session = await page.context().newCDPSession(page)
  let text = ''
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    text += chunk
  })
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  const { snapshot, nodes } = JSON.parse(text)
  const { node_fields: fields } = snapshot.meta
  const at = fields.indexOf('self_size')
  let bytes = 0
  for (let node = 0; node < nodes.length; node += fields.length) bytes += nodes[node + at]
  return bytes
}
