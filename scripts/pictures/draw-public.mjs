// node scripts/pictures/draw-public.mjs: draws the pictures in public/ from public/icon.svg. Run it after changing the logo.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { root } from '../bootstrap.mjs'
import { requireChromium } from '../chromium.mjs'

const ACCENT = '#0d6a80'
const folder = path.join(root, 'public')
const icon = readFileSync(path.join(folder, 'icon.svg'), 'utf8')
const wheel = icon.replace(/<title>.*?<\/title><rect[^>]*>/, '')
const font = readFileSync(
  path.join(root, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
).toString('base64')

const browser = await chromium.launch({ executablePath: requireChromium(), args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage()

/**
 * @param {string} body
 * @param {number} width
 * @param {number} height
 */
async function draw(body, width, height) {
  await page.setViewportSize({ width, height })
  await page.setContent(
    `<style>
      @font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}) }
      body { margin: 0; width: ${width}px; height: ${height}px; overflow: hidden; font-family: Inter }
      body > svg { display: block; width: 100%; height: 100% }
    </style>${body}`,
  )
  await page.evaluate(() => document.fonts.ready)
  return page.screenshot({ omitBackground: true })
}

/** The logo on a filled square, which the system crops. */
const square = (/** @type {number} */ size, /** @type {number} */ share) =>
  draw(
    `<div style="background:${ACCENT};height:100%;display:grid;place-items:center">
      <div style="width:${share}%;height:${share}%">${wheel.replace('<svg', '<svg width="100%" height="100%"')}</div>
    </div>`,
    size,
    size,
  )

const social = `
  <div style="position:relative;height:100%;background:#0b1117;color:#e7edf3;overflow:hidden">
    <div style="position:absolute;right:-150px;top:-45px;width:720px;height:720px;opacity:.16">
      ${wheel.replace('<svg', '<svg width="100%" height="100%"').replaceAll('#fff', '#56b9cf')}
    </div>
    <div style="position:absolute;left:80px;top:0;bottom:0;display:flex;flex-direction:column;justify-content:center">
      <div style="display:flex;align-items:center;gap:28px">
        <div style="width:104px;height:104px">${icon.replace('<svg', '<svg width="104" height="104"')}</div>
        <div style="font-size:88px;font-weight:650;letter-spacing:-.03em">Pilothouse</div>
      </div>
      <div style="margin-top:44px;font-size:40px;line-height:1.35;color:#a9b6c2;max-width:760px">
        The open web console<br>for agent deployments
      </div>
      <div style="margin-top:56px;display:flex;gap:16px;font-size:24px;font-weight:500;color:#56b9cf">
        ${['Deployments', 'Live runs', 'Threads', 'Traces']
          .map((word) => `<span style="border:1px solid #35424e;border-radius:999px;padding:9px 22px">${word}</span>`)
          .join('')}
      </div>
    </div>
  </div>`

/** An .ico file that holds one PNG of 32 pixels. */
function ico(/** @type {Buffer} */ png) {
  const header = Buffer.from([0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0])
  header.writeUInt32LE(png.length, 14)
  return Buffer.concat([header, png])
}

for (const [name, bytes] of Object.entries({
  'favicon.ico': ico(await draw(icon, 32, 32)),
  'icon-192.png': await draw(icon, 192, 192),
  'icon-512.png': await draw(icon, 512, 512),
  'icon-maskable.png': await square(512, 80),
  'apple-touch-icon.png': await square(180, 92),
  'social.png': await draw(social, 1200, 630),
})) {
  writeFileSync(path.join(folder, name), bytes)
  console.log(`public/${name}: ${bytes.length} bytes`)
}
await browser.close()
