// node scripts/pictures/take-demo.mjs: records docs/demo.webm, a minute with the running product. Needs ffmpeg.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { launchChromium, signIn, startConsole } from '../../bench/console.mjs'
import { root } from '../bootstrap.mjs'
import { ask, fill } from './sample-work.mjs'

const SIZE = { width: 1280, height: 720 }
const LARGEST = 3_000_000
const output = path.join(root, 'docs/demo.webm')

/** Records what the page shows until `stop`, which returns the frames with the seconds that each was seen. */
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
    return frames.map(({ file, at }, n) => ({ file, seconds: (frames[n + 1]?.at ?? end) - at }))
  }
}

/** A line at the top of the page that says what is shown. */
const caption = (page, text) =>
  page.evaluate((said) => {
    document.querySelector('[data-caption]')?.remove()
    const line = document.createElement('div')
    line.dataset.caption = ''
    line.textContent = said
    Object.assign(line.style, {
      ...{ position: 'fixed', insetInline: '0', top: '8px', marginInline: 'auto', width: 'fit-content' },
      ...{ padding: '6px 16px', borderRadius: '8px', background: '#111', color: '#fff', font: '600 16px sans-serif' },
      ...{ zIndex: '1000', pointerEvents: 'none' },
    })
    document.body.append(line)
  }, text)

/** A second revision, so that there is one to go back to. */
async function redeploy(id) {
  const { latest_revision_id: revision } = await ask('PATCH', `/v2/deployments/${id}`, {
    secrets: [{ name: 'BERTH_RATE', value: '42' }],
  })
  while ((await ask('GET', `/v2/deployments/${id}/revisions/${revision}`)).status !== 'DEPLOYED') await pause(200)
}

async function play(page, { concierge, workbench }) {
  const show = async (address, text) => {
    await page.goto(address)
    await page.waitForFunction(() => !document.querySelector('.animate-pulse'), null, { timeout: 20_000 })
    await caption(page, text)
    await page.waitForTimeout(2000)
  }
  await show(`/local/deployments/${concierge}/chat`, 'Say hello: type, Enter')
  await page.getByRole('textbox', { name: 'Message', exact: true }).click()
  await page.keyboard.type('A berth costs 42 euros a night. What is 3 * 42 + 18?', { delay: 40 })
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: 'AI message' }).filter({ hasText: '144' }).first().waitFor()
  await page.waitForTimeout(3000)

  await show('/local/runs', 'All runs: of the console, the API and crons')
  await page.getByRole('table', { name: 'Runs' }).locator('tr[data-key] a').first().click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
  await caption(page, 'Recorded on the server: steps, events, state')
  for (const name of ['Steps', 'Graph', 'State']) {
    await page.getByRole('tab', { name }).click()
    await page.waitForTimeout(2000)
  }

  await show('/local', 'What is wrong right now')
  await page.waitForTimeout(2000)
  const failed = page.getByRole('region', { name: 'Failed runs, last 24 hours' })
  await failed.getByRole('listitem').first().getByRole('link').click()
  await page.getByRole('region', { name: 'Failure' }).waitFor()
  await caption(page, 'Why it failed: the error first')
  await page.waitForTimeout(4000)

  await show('/local/inbox', 'Agents that wait for an answer')
  await page.getByRole('table', { name: 'Waiting threads' }).locator('tr[data-key]').getByRole('link').first().click()
  await page
    .getByRole('button', { name: 'Approve' })
    .or(page.getByRole('button', { name: 'Send' }))
    .first()
    .waitFor()
  await page.waitForTimeout(4000)

  await show(`/local/deployments/${workbench}/revisions`, 'Roll back, after a review')
  await page
    .getByRole('button', { name: /^Roll back/ })
    .first()
    .click()
  await page.waitForTimeout(5000)
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-demo-'))
const { url, end } = await startConsole({ PILOTHOUSE_SAMPLES: 'true' })
const browser = await launchChromium()
try {
  const places = await fill()
  await redeploy(places.workbench)
  const page = await browser.newPage({ baseURL: url, viewport: SIZE })
  await signIn(page)
  const chat = `/local/deployments/${places.concierge}/chat`
  // Once before, so that the film shows pages and not their first load.
  for (const place of [chat, '/local/runs', '/local', '/local/inbox']) {
    await page.goto(place)
    await page.waitForFunction(() => !document.querySelector('.animate-pulse'), null, { timeout: 20_000 })
  }
  const stop = await record(page, folder)
  await play(page, places)
  const frames = await stop()
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
