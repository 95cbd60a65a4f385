// First-load JavaScript of the console's pages against a hello world on the same Next.js: compressed script bytes,
// summed by Chromium over a cold load. What a page then loads on its own (editors, palettes) is `later`.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../scripts/bootstrap.mjs'
import { launchChromium, signIn, startConsole } from './console.mjs'
import { startNextApp } from './next-app.mjs'

/** Kilobytes of script that a cold load of `url` transfers: those the page names, and those it loads later. */
async function scriptWeight(context, url) {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Map()
  const bytes = new Map()
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script') scripts.set(requestId, new URL(response.url).pathname)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength))
  const html = await (await page.goto(url, { waitUntil: 'load' })).text()
  await page.waitForTimeout(1500)
  await page.close()
  const sum = (isWanted) =>
    [...scripts].reduce((total, [id, at]) => total + (isWanted(at) ? (bytes.get(id) ?? 0) : 0), 0) / 1000
  return { first: sum((at) => html.includes(at)), later: sum((at) => !html.includes(at)) }
}

export async function measure() {
  const browser = await launchChromium()
  const hello = await startNextApp()
  const ours = await startConsole()
  try {
    const context = await browser.newContext({ baseURL: ours.url })
    const page = await context.newPage()
    await signIn(page)
    await page.goto('/local/deployments')
    const first = await page.getByRole('link', { name: 'concierge', exact: true }).first().getAttribute('href')
    const pages = {
      'sign-in': '/sign-in',
      home: '/local',
      list: '/local/deployments',
      overview: first,
      chat: `${first}/chat`,
      'run start': `${first}/runs/new`,
      threads: `${first}/threads`,
    }
    const { first: peer } = await scriptWeight(await browser.newContext(), hello.url)
    const rows = []
    for (const [name, at] of Object.entries(pages)) {
      const signedIn = name === 'sign-in' ? await browser.newContext({ baseURL: ours.url }) : context
      const { first, later } = await scriptWeight(signedIn, new URL(at ?? '/', ours.url).href)
      rows.push({
        id: `weight ${name}`,
        ours: +first.toFixed(1),
        peer: +peer.toFixed(1),
        peer_name: 'next hello world',
        unit: 'kB',
        ratio: +(first / peer).toFixed(2),
        ...(name === 'chat' || name === 'home' ? { goal: '<= 1.6 x' } : {}),
        later: +later.toFixed(1),
        rounds: 1,
      })
    }
    return rows
  } finally {
    await browser.close()
    await Promise.all([ours.end(), hello.end()])
    console.error(readFileSync(path.join(root, 'package.json'), 'utf8').match(/"next": "[^"]+"/)?.[0])
  }
}
