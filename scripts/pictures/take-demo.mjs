// node scripts/pictures/take-demo.mjs: records docs/demo.webm, a minute with the running product. Needs ffmpeg.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { launchChromium, signIn, startConsole } from '../../bench/console.mjs'
import { root } from '../bootstrap.mjs'
import { fill } from './sample-work.mjs'

const SIZE = { width: 1280, height: 720 }
const LARGEST = 3_000_000
const LENGTH = 60
/** A still picture between two rests is shown no longer: a slow machine waits where a fast one does not. */
const LONGEST_STILL = 1
const output = path.join(root, 'docs/demo.webm')

/** Records what the page shows until `stop`, which returns the frames with the times between which each was seen. */
async function record(page, folder) {
  const session = await page.context().newCDPSession(page)
  /** @type {{ file: string, at: number }[]} */
  const frames = []
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    const file = path.join(folder, `${frames.length}.jpg`)
    writeFileSync(file, Buffer.from(data, 'base64'))
    frames.push({ file, at: metadata.timestamp ?? Date.now() / 1000 })
    void session.send('Page.screencastFrameAck', { sessionId }).catch(() => {}) // the page may be closed
  })
  await session.send('Page.startScreencast', {
    ...{ format: 'jpeg', quality: 90, everyNthFrame: 1 },
    ...{ maxWidth: SIZE.width, maxHeight: SIZE.height },
  })
  return async () => {
    await session.send('Page.stopScreencast')
    const end = Date.now() / 1000
    return frames.map(({ file, at }, n) => ({ file, from: at, to: frames[n + 1]?.at ?? end }))
  }
}

/**
 * How long the film shows each frame. Rests are as long as they were, for they are for reading; what is between them is faster if
 * the film would be too long.
 * @param {{ file: string, from: number, to: number }[]} frames
 * @param {[number, number][]} rests
 */
function paced(frames, rests) {
  const sum = (numbers) => numbers.reduce((total, one) => total + one, 0)
  const parts = frames.map(({ from, to }) => {
    const rested = sum(rests.map(([start, end]) => Math.max(0, Math.min(end, to) - Math.max(start, from))))
    return { rested, moving: Math.min(Math.max(0, to - from - rested), LONGEST_STILL) }
  })
  const [rested, moving] = [sum(parts.map((one) => one.rested)), sum(parts.map((one) => one.moving))]
  const pace = Math.min(1, (LENGTH - rested) / moving)
  return frames.map(({ file }, n) => ({ file, seconds: parts[n].rested + parts[n].moving * pace }))
}

/** Adds what a film needs to the page: a line that says what is shown, and a pointer. Both survive until the page is loaded again. */
const addOverlays = (page) =>
  page.evaluate(() => {
    const add = (style) => {
      const element = document.createElement('div')
      Object.assign(element.style, { position: 'fixed', zIndex: '1000', pointerEvents: 'none', ...style })
      document.body.append(element)
      return element
    }
    const line = add({
      ...{ insetInlineEnd: '356px', top: '8px', padding: '6px 14px', borderRadius: '8px' },
      ...{ background: '#111', color: '#fff', font: '600 15px Inter, sans-serif' },
    })
    line.dataset.caption = ''
    const dot = add({
      ...{ width: '18px', height: '18px', margin: '-9px', borderRadius: '50%' },
      ...{ background: '#0d6a8055', border: '2px solid #0d6a80' },
    })
    window.addEventListener('mousemove', ({ clientX, clientY }) => {
      dot.style.left = `${clientX}px`
      dot.style.top = `${clientY}px`
    })
  })

/** Waits until nothing on the page is a placeholder. */
const isLoaded = (page) =>
  page.waitForFunction(() => !document.querySelector('.animate-pulse'), null, { timeout: 20_000 })

/** Goes through the console as a person does. Returns when it rested. */
async function play(page) {
  /** @type {[number, number][]} */
  const rests = []
  const say = (text) =>
    page.evaluate((said) => {
      const line = document.querySelector('[data-caption]')
      if (line) line.textContent = said
    }, text)
  const rest = async (seconds) => {
    await isLoaded(page)
    const from = Date.now() / 1000
    await page.waitForTimeout(seconds * 1000)
    rests.push([from, from + seconds])
  }
  /** Moves the pointer to it and clicks. */
  const press = async (locator) => {
    await locator.scrollIntoViewIfNeeded()
    const { x, y, width, height } = await locator.boundingBox()
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 20 })
    await rest(0.3)
    await locator.click()
  }
  const open = (name) => press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }))

  await addOverlays(page)
  await say('Talk to an agent: type, Enter')
  await rest(1)
  await page.getByRole('textbox', { name: 'Message', exact: true }).click()
  await page.keyboard.type('A berth costs 42 euros a night. What is 3 * 42 + 18?', { delay: 40 })
  await page.keyboard.press('Enter')
  await page.getByText('Finished', { exact: true }).first().waitFor({ timeout: 60_000 })
  await rest(1)

  await press(page.getByRole('link', { name: 'Open run' }))
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
  await say('Recorded on the server, seen in six ways')
  for (const name of ['Steps', 'Graph', 'State', 'Events']) {
    await press(page.getByRole('tab', { name }))
    await rest(1.5)
  }

  await open('Runs')
  await page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]').first().waitFor()
  await say('All runs: of the console, the API and crons')
  await rest(3)

  await open('Home')
  const failed = page.getByRole('region', { name: 'Failed runs, last 24 hours' })
  await failed.getByRole('listitem').first().waitFor()
  await failed.scrollIntoViewIfNeeded()
  await say('What is wrong right now')
  await rest(3)
  await press(failed.getByRole('listitem').first().getByRole('link').first())
  await page.getByRole('region', { name: 'Failure' }).waitFor()
  await say('Why it failed: the error first')
  await rest(4)

  await open('Inbox')
  await say('Agents that wait for a person')
  await press(page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]').getByRole('link').first())
  await page.getByRole('radio', { name: 'approve' }).waitFor()
  await rest(2)
  await press(page.getByRole('radio', { name: 'approve' }).locator('..'))
  await press(page.getByRole('button', { name: 'Send answer' }))
  await rest(3)

  await say('Roll back, after a review')
  await open('Deployments')
  await press(page.getByRole('table', { name: 'Deployments' }).getByRole('link', { name: 'workbench' }))
  await press(page.getByRole('link', { name: 'Revisions', exact: true }))
  await press(page.getByRole('button', { name: /^Roll back/ }).first())
  await page.getByRole('dialog').waitFor()
  await rest(4)
  await press(page.getByRole('dialog').getByRole('button', { name: /^Roll back/ }))
  await rest(5)
  return rests
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-demo-'))
const { url, end } = await startConsole({ PILOTHOUSE_SAMPLES: 'true' })
const browser = await launchChromium()
try {
  await fill()
  const page = await browser.newPage({ baseURL: url, viewport: SIZE })
  await signIn(page)
  // Once before, so that the film shows pages and not their first load.
  for (const place of ['runs', 'inbox', 'deployments', '']) {
    await page.goto(`/local/${place}`)
    await isLoaded(page)
  }
  const stop = await record(page, folder)
  const rests = await play(page)
  const frames = paced(await stop(), rests)
  const list = path.join(folder, 'frames.txt')
  writeFileSync(list, frames.map(({ file, seconds }) => `file '${file}'\nduration ${seconds.toFixed(3)}\n`).join(''))
  const codec = ['-c:v', 'libvpx-vp9', '-crf', '38', '-b:v', '0', '-r', '15', '-pix_fmt', 'yuv420p', '-row-mt', '1']
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'concat', '-safe', '0', '-i', list, ...codec, output])
  const { size } = statSync(output)
  const seconds = frames.reduce((sum, one) => sum + one.seconds, 0)
  console.log(`docs/demo.webm: ${seconds.toFixed(0)} s, ${(size / 1e6).toFixed(1)} MB of at most ${LARGEST / 1e6} MB`)
  if (size > LARGEST) process.exitCode = 1
} finally {
  await browser.close()
  await end()
  rmSync(folder, { recursive: true, force: true })
}
