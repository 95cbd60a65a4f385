// A server of plain pages (ours and the peers', bundled by the bench) with their data, and a browser.
import { once } from 'node:events'
import { createServer } from 'node:http'
import path from 'node:path'
import { build } from 'esbuild'
import { root } from '../../scripts/bootstrap.mjs'
import { startChromium } from '../live/chromium.mjs'
import { ensureRival } from '../rivals/ensure.mjs'
import { watchDrawn } from './drawn.mjs'

// The part of the console's style sheet that decides how much is drawn.
const STYLE = `*{box-sizing:border-box}body{margin:0}#root{height:700px;overflow:hidden}
.flex{display:flex}.flex-col{flex-direction:column}.flex-1{flex:1 1 0%}.min-h-0{min-height:0}.min-h-48{min-height:12rem}
.h-full{height:100%}.relative{position:relative}.absolute{position:absolute}.overflow-auto{overflow:auto}
.-mt-8{margin-top:-2rem}.mb-2{margin-bottom:.5rem}.self-end{align-self:flex-end}.border{border:1px solid}
.leading-\\[22px\\]{line-height:22px}.rotate-90{transform:rotate(90deg)}.w-4{width:1rem}
.inline-block{display:inline-block}.w-max{width:max-content}.min-w-full{min-width:100%}.flex-wrap{flex-wrap:wrap}.whitespace-pre{white-space:pre}.truncate{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}`

async function bundle(entry, folder = root) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    write: false,
    outdir: 'out',
    format: 'iife',
    platform: 'browser',
    target: 'chrome120',
    // The console's bundler creates the worker from it; here it is a separate file.
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': 'location.href' },
    logLevel: 'error',
  })
  return outputFiles.find(({ path }) => path.endsWith('.js'))?.contents
}

/** Returns `{ openPage(side), put(name, text), end() }`. */
export async function startStage() {
  const rival = ensureRival('json-views')
  const files = new Map([
    ['/ours.js', await bundle('bench/state/ours.tsx')],
    ['/ours-worker.js', await bundle('lib/json/json.worker.ts')],
    ['/rivals.js', await bundle(path.join(rival, 'page.mjs'), rival)],
  ])
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://stage')
    if (pathname === '/page') {
      const script = searchParams.get('side') === 'ours' ? 'ours' : 'rivals'
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(
        `<!doctype html><style>${STYLE}</style><body><div id="root"></div><script src="/${script}.js"></script>`,
      )
      return
    }
    const file = files.get(pathname)
    response.writeHead(file ? 200 : 404, { 'content-type': 'text/javascript; charset=utf-8' }).end(file)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  const browser = await startChromium()

  /** A new page of a side, with the named bytes in `window.given`; its long tasks are recorded from then on. */
  async function openPage(side, names) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
    await page.addInitScript(watchDrawn)
    await page.goto(`${address}/page?side=${side}`)
    await page.evaluate(async (names) => {
      window.given = await Promise.all(
        names.map(async (name) => new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer())),
      )
      window.longTasks = []
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longTasks.push(duration)
      }).observe({ type: 'longtask' })
    }, names)
    // The page has shown something before, so loading its code and the downloads are not measured.
    await page.evaluate(() => {
      window.page.prepare()
      window.page.show(new TextEncoder().encode('{"a":{"b":[1,2,{"c":"d"}]},"e":"f"}'))
    })
    await page.waitForTimeout(500)
    // Everything that does not need the bytes is ready when they arrive, on each side as far as possible.
    await page.evaluate(() => window.page.prepare())
    await page.waitForTimeout(200)
    await page.evaluate(() => {
      window.longTasks.length = 0
    })
    return page
  }
  return {
    openPage,
    put: (name, text) => files.set(`/${name}`, Buffer.from(text)),
    end: async () => {
      await browser.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

export const longest = (page) => page.evaluate(() => Math.max(0, ...window.longTasks))
