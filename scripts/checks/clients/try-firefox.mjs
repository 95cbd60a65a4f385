// node scripts/checks/clients/try-firefox.mjs [--write]: the main jobs in Firefox (`FIREFOX`, Debian's by default), driven by
// WebDriver BiDi, against a product that is really started. The driver is installed in a folder of its own, from the npm registry.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { cleanEnv, root } from '../../bootstrap.mjs'
import { table, writeSection } from './compatibility.mjs'

const FIREFOX = process.env.FIREFOX || '/usr/bin/firefox-esr'
/** The last that runs on Node 20. */
const DRIVER = 'puppeteer-core@24'
const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }
const PATIENCE_MS = 60_000

if (!existsSync(FIREFOX)) {
  console.error(`[firefox] ${FIREFOX} is not there. On Debian: apt-get install firefox-esr. Elsewhere, set FIREFOX.`)
  process.exit(1)
}
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-firefox-'))
writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
execFileSync('npm', ['install', ...flags, DRIVER], { cwd: folder, env: cleanEnv(), stdio: 'inherit' })
const driver = path.join(folder, 'node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js')
const { launch } = await import(pathToFileURL(driver).href)

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
    probe.close(() => resolve(port))
  })
})
const product = spawn(process.execPath, ['scripts/start.mjs'], {
  cwd: root,
  env: cleanEnv({
    PORT: `${port}`,
    PILOTHOUSE_DATA: path.join(folder, 'data'),
    PILOTHOUSE_ADMIN_EMAIL: ADMIN.email,
    PILOTHOUSE_ADMIN_PASSWORD: ADMIN.password,
  }),
  stdio: ['ignore', 'pipe', 'inherit'],
})
const results = []
let browser
try {
  await new Promise((resolve, reject) => {
    product.stdout.setEncoding('utf8').on('data', (text) => /Pilothouse is ready/.test(text) && resolve(undefined))
    product.on('exit', () => reject(new Error('The product did not start. See above.')))
  })
  browser = await launch({ browser: 'firefox', executablePath: FIREFOX, headless: true, protocolTimeout: 120_000 })
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const errors = []
  page.on('pageerror', ({ message, stack }) => {
    errors.push(message)
    console.log(`[firefox] ${stack ?? message}`)
  })
  /** The kinds of the dialogs that the browser showed. Each is accepted: until then, the page would not be left. */
  const dialogs = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type())
    void dialog.accept()
  })
  const at = (place) => page.goto(`http://localhost:${port}${place}`)
  const element = (role, name) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`)
  const text = (words) => page.locator(`::-p-text(${words})`).wait()
  const press = (key) => page.keyboard.press(key)
  /** Runs one job and notes whether it worked. Later ones are tried in any case. */
  const job = async (Feature, work) => {
    errors.length = 0
    const problem = await work().then(
      () => errors[0],
      (error) => `${error.message} at ${page.url().replace(/^.*?\/\/[^/]*/, '')}`,
    )
    results.push({ Feature, [await browser.version()]: problem ? `fails: ${problem}` : 'works' })
    console.log(`[firefox] ${Feature}: ${problem ?? 'works'}`)
  }

  await job('sign in', async () => {
    await at('/local')
    await element('textbox', 'Email').fill(ADMIN.email)
    await page.locator('input[type="password"]').fill(ADMIN.password)
    await element('button', 'Sign in').click()
    await element('heading', 'Home').wait()
  })
  let chat = ''
  await job('first message: tokens stream, and a reload in mid-run loses nothing', async () => {
    await page.locator('select[aria-label="Agent"]:enabled').wait()
    await element('textbox', 'Message').fill('Please tell me about the harbour.')
    await press('Enter')
    await page.waitForFunction(() => location.pathname.includes('/chat/'))
    chat = new URL(page.url()).pathname
    await page.reload()
    errors.length = 0 // of the page that was left, about its cut streams
    await text('to the very end')
  })
  await job('second message, with a tool call', async () => {
    await at(chat)
    await element('textbox', 'Message').fill('What is 6 * 7?')
    await press('Enter')
    await text('The calculator says: 42.')
  })
  await job('runs of the workspace, and a run with steps, state and events', async () => {
    await at('/local/runs')
    await page.locator('table tbody a[href*="/runs/"], [role="row"] a[href*="/runs/"]').click()
    for (const lens of ['Steps', 'State', 'Events']) await page.locator(`[role="tab"]::-p-text(${lens})`).click()
    await page.locator('[role="listbox"][aria-label="Events"]').wait()
  })
  await job('deployments, sorted and searched', async () => {
    await at('/local/deployments')
    await element('searchbox', 'Search by name').fill('concierge')
    await page.waitForFunction(() => location.search.includes('name_contains=concierge'))
    await page.locator('a::-p-text(concierge)').click()
    await element('heading', 'concierge').wait()
  })
  await job('palette by keyboard', async () => {
    await page.keyboard.down('Control')
    await press('k')
    await page.keyboard.up('Control')
    await page.keyboard.type('inbox')
    await element('option', 'Inbox').wait()
    await press('Enter')
    await page.waitForFunction(() => location.pathname.endsWith('/inbox'))
  })
  await job('secrets: a change is reviewed before it is sent', async () => {
    await at(new URL(chat, page.url()).pathname.replace(/\/chat\/.*/, '/settings/secrets'))
    await element('textbox', 'Name of the new secret').fill('FIREFOX_KEY')
    await element('textbox', 'Value of the new secret').fill('a value')
    await element('button', 'Add').click()
    await element('button', 'Review 1 change').click()
    await element('dialog', 'Review changes').wait()
    await element('button', 'Cancel').click()
  })
  await job('secrets: leaving the page with a draft asks first', async () => {
    dialogs.length = 0
    await at(chat)
    if (!dialogs.includes('beforeunload')) throw new Error('The page was left, and the draft with it.')
  })
  await job('a second tab shows the same run live', async () => {
    await at(chat)
    const other = await browser.newPage()
    await other.goto(page.url())
    await page.bringToFront()
    await element('textbox', 'Message').fill('What is 5 * 5?')
    await press('Enter')
    await text('The calculator says: 25.')
    await other.bringToFront()
    await other.locator('::-p-text(The calculator says: 25.)').wait()
    await other.close()
  })
} finally {
  await browser?.close()
  product.kill('SIGTERM')
  if (product.exitCode === null) await once(product, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
const columns = Object.keys(results[0] ?? {})
console.log(table(columns, results))
if (process.argv.includes('--write')) writeSection('firefox', table(columns, results))
process.exitCode = results.every((row) => Object.values(row).includes('works')) ? 0 : 1
