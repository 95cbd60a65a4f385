import type { Locator, Page } from '@playwright/test'
import { startBrandedPlatform } from './support/branded-platform'
import { type Fault, type FaultProxy, startFaultProxy } from './support/fault-proxy'
import { platform } from './support/platform'
import { expect, expectAccessible, startChat, test } from './support/session'
import { addAgentServer, addControlPlane, agentServer } from './support/workspace'

const proxies: FaultProxy[] = []
async function proxyOfPlatform() {
  const proxy = await startFaultProxy(platform().url)
  proxies.push(proxy)
  return proxy
}
test.afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop()
})

/** Whether the page says that it is current. */
const liveBadge = (page: Page) => page.getByRole('banner').getByRole('status')
const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' })
/** Recovers automatically or after one retry, whichever comes first. */
async function recovers(page: Page, sign: Locator) {
  await expect(tryAgain(page).or(sign).first()).toBeVisible()
  if (await tryAgain(page).isVisible())
    await tryAgain(page)
      .click({ timeout: 10_000 })
      .catch(() => undefined) // it disappeared meanwhile
  await expect(sign).toBeVisible({ timeout: 30_000 })
}

test('a key rejected by the control plane is reported once with a link to change it, and nothing typed is lost', async ({
  page,
  context,
}) => {
  await addControlPlane(page, { url: platform().url, key: 'not-the-key' })
  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  const refusal = page.getByText(/control plane refused this workspace's API key.*workspace's settings/)
  await expect(refusal).toHaveCount(1)
  await page.getByLabel('Search by name').fill('conc')
  await page.waitForURL(/name_contains=conc/)
  await expect(refusal).toHaveCount(1)
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)

  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByRole('link', { name: 'Open settings' }).click()
  await other.getByRole('button', { name: 'Edit workspace' }).click()
  await other.getByLabel('API key', { exact: true }).fill(platform().api_key)
  await other.getByRole('button', { name: 'Save changes' }).click()
  await expect(other.getByText('Workspace saved')).toBeVisible()

  await recovers(page, page.getByRole('link', { name: 'concierge' }))
  await expect(refusal).toHaveCount(0)
  await expect(page.getByLabel('Search by name')).toHaveValue('conc')
})

test("with the control plane down, broken or silent, the page shows its data's age and one error, and recovers", async ({
  page,
  context,
}) => {
  test.setTimeout(180_000) // the silent one runs into the console's timeout of 30 s
  const [broken, silent] = [await proxyOfPlatform(), await proxyOfPlatform()]
  const slug = await addControlPlane(page, { url: silent.url, key: platform().api_key })
  await silent.set({ kind: 'black-hole' })
  const waiting = await context.newPage()
  await waiting.goto(`/${slug}/deployments?name_contains=concierge`)
  await expect(waiting.getByRole('heading', { name: 'Deployments' })).toBeVisible()
  await expect(waiting.getByLabel('Search by name')).toBeEditable()

  await addControlPlane(page, { url: broken.url, key: platform().api_key })
  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  await page.getByLabel('Search by name').fill('concierge')
  await page.waitForURL(/name_contains=concierge/)
  const concierge = page.getByRole('link', { name: 'concierge' })
  await expect(concierge).toBeVisible()
  const json = { 'content-type': 'application/json' }
  const faults: [Fault, RegExp][] = [
    [{ kind: 'down' }, /cannot be reached \(connection refused\)/],
    [
      {
        kind: 'respond',
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><h1>Bad gateway</h1></html>',
      },
      /responded with status 502: Bad gateway\./,
    ],
    [
      { kind: 'respond', status: 200, headers: json, body: '{"resources": [{"id": "' },
      /JSON that is broken or cut off/,
    ],
  ]
  for (const [fault, words] of faults) {
    await broken.set(fault)
    // Without a reload, known data stays, with its age.
    const stale = page
      .getByRole('main')
      .getByRole('status')
      .filter({ hasText: /Last updated|No answer since/ })
    await expect(stale).toContainText(words, { timeout: 20_000 })
    await expect(stale).toHaveCount(1)
    await expect(liveBadge(page)).toHaveText('Not up to date')
    await expect(concierge).toBeVisible()
    // Without any data the page still renders.
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Deployments' })).toBeVisible()
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)
    await expect(page.getByRole('main').getByRole('alert')).toContainText(words)
    await broken.set(null)
    await recovers(page, concierge)
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
    await expect(stale).toHaveCount(0)
  }

  const late = waiting.getByRole('main').getByRole('alert')
  await expect(late).toContainText('did not respond within 30 seconds', { timeout: 40_000 })
  await expect(late).toHaveCount(1)
  await silent.set(null)
  await recovers(waiting, waiting.getByRole('link', { name: 'concierge' }))
})

test('Home says once that its control plane cannot be reached', async ({ page }) => {
  const broken = await proxyOfPlatform()
  const slug = await addControlPlane(page, { url: broken.url, key: platform().api_key })
  await broken.set({ kind: 'down' })
  await page.goto(`/${slug}`)
  const main = page.getByRole('main')
  await expect(main.getByText(/^Some runs started elsewhere are missing/)).toBeVisible({ timeout: 30_000 })
  await expect(main.getByText(/cannot be reached/)).toHaveCount(1)
})

test('a control plane that falls silent is reported with the time of its last answer, and what it said is grey', async ({
  page,
  context,
}) => {
  const proxy = await proxyOfPlatform()
  const slug = await addControlPlane(page, { url: proxy.url, key: platform().api_key })
  await page.goto(`/${slug}/deployments?name_contains=concierge`)
  const row = page.getByRole('row', { name: /concierge/ })
  await expect(row).toContainText('Healthy')
  await expect(liveBadge(page)).toHaveText('Live')
  const runs = await context.newPage()
  await runs.goto(page.url())
  await runs.getByRole('link', { name: 'concierge' }).click()
  const parts = runs.getByRole('navigation', { name: 'Deployment sections' })
  await parts.getByRole('link', { name: 'Runs' }).click()
  await expect(runs.getByRole('table', { name: 'Runs' }).or(runs.getByText(/^No runs (yet|found)$/))).toBeVisible()
  await expect(runs.getByText('Healthy')).toBeVisible()

  await proxy.set({ kind: 'black-hole' })
  for (const one of [page, runs]) {
    await expect(one.getByRole('status').filter({ hasText: 'No answer since' })).toContainText(
      /The control plane did not respond within 4 seconds\. No answer since \d\d:\d\d:\d\d/,
    )
    await expect(liveBadge(one)).toHaveText('Not up to date')
  }
  await expect(page.getByRole('table', { name: 'Deployments' }).locator('..')).toHaveCSS('filter', 'grayscale(1)')
  await expect(runs.getByText('Healthy').locator('..')).toHaveCSS('filter', 'grayscale(1)')
  await expectAccessible(page) // grey, and still legible
  // The runs are our own records.
  await expect(parts.getByRole('link', { name: 'Runs' })).toBeVisible()

  // Slow is not silent: the late answer counts.
  await proxy.set({ kind: 'latency', ms: 10_000 })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(liveBadge(page)).toHaveText('Live', { timeout: 60_000 })
  await proxy.set(null)
  await expect(page.getByRole('status').filter({ hasText: 'No answer since' })).toHaveCount(0)
  await expect(liveBadge(runs)).toHaveText('Live', { timeout: 60_000 })
})

test('an open list of threads notices by itself that its server is away', async ({ page }) => {
  const { url, key } = await agentServer('concierge')
  const proxy = await startFaultProxy(url)
  proxies.push(proxy)
  await addAgentServer(page, { name: 'harbour', url: proxy.url, key })
  await page.getByRole('navigation', { name: 'Deployment sections' }).getByRole('link', { name: 'Threads' }).click()
  await expect(page.getByRole('table', { name: 'Threads' }).or(page.getByText('No threads yet'))).toBeVisible()
  await proxy.set({ kind: 'down' })
  await expect(page.getByRole('status').filter({ hasText: 'No answer since' })).toBeVisible({ timeout: 40_000 })
  await proxy.set(null)
  await expect(page.getByRole('status').filter({ hasText: 'No answer since' })).toHaveCount(0, { timeout: 40_000 })
})

test('a recording is shown without its control plane, and claims nothing before its data arrives', async ({ page }) => {
  const upstream = await startBrandedPlatform() // its agent servers have the same host
  try {
    const slug = await addControlPlane(page, upstream)
    await page.goto(`/${slug}/deployments?name_contains=concierge`)
    await page.getByRole('link', { name: 'concierge', exact: true }).click()
    await startChat(page, 'What is 6 * 7?')
    await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  } finally {
    await upstream.stop()
  }
  let letThrough = () => {}
  const held = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  await page.route('**/api/live', async (route) => {
    await held
    await route.continue()
  })
  await page.reload()
  await expect(page.getByText('Loading recording…')).toBeVisible()
  letThrough()
  await expect(page.getByText('The calculator says: 42.').first()).toBeVisible()
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toHaveCount(1)
  await expect(failure).toContainText('cannot be reached (connection refused)')
  await page.getByRole('tab', { name: /^Events/ }).click()
  await page.getByLabel('Filter events by text').fill('in none of them')
  await expect(page.getByText('No matching events')).toBeVisible()

  const parts = page.getByRole('navigation', { name: 'Deployment sections' })
  await parts.getByRole('link', { name: 'Runs' }).click()
  const runs = page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]')
  await expect(runs.filter({ hasText: 'admin@example.com' }).first()).toBeVisible()
  const told = page.getByText(/^Some runs started elsewhere may have changed/)
  await expect(told).toBeVisible()
  const topOf = async (one: Locator) => (await one.boundingBox())?.y ?? 0
  expect(await topOf(told)).toBeLessThan(await topOf(page.getByRole('table', { name: 'Runs' })))
  await parts.getByRole('link', { name: 'Threads' }).click()
  await page.waitForURL(/\/threads/)
  await expect(failure).toHaveCount(1)
})

test('a recording outlives its deployment, and offers no action that needs it', async ({ page }) => {
  const slug = await addAgentServer(page, { name: 'soon gone', ...(await agentServer('concierge')) })
  await startChat(page, 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const deploymentId = page.url().split('/runs/')[0]

  await page.goto(`/${slug}/settings`)
  await page.getByRole('button', { name: 'Remove soon gone' }).click()
  await page.getByRole('button', { name: 'Remove server' }).click()
  await expect(page.getByRole('button', { name: 'Remove soon gone' })).toHaveCount(0)

  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]').getByRole('link').first().click()
  const notice = page.getByText('This deployment no longer exists.')
  await expect(notice).toBeVisible()
  await expect(page.getByText('The calculator says: 42.').first()).toBeVisible()
  for (const name of [/^Run again/, 'Continue in chat', /^Open /, 'Start a run'])
    await expect(page.getByRole('link', { name })).toHaveCount(0)
  const parts = page.getByRole('navigation', { name: 'Deployment sections' })
  await expect(parts.getByRole('link', { name: 'Threads' })).toHaveCount(0)
  await page.getByRole('button', { name: 'More actions' }).click()
  await expect(page.getByRole('menuitem', { name: /^Replay/ })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: /^Run again/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expectAccessible(page)

  await parts.getByRole('link', { name: 'Runs' }).click()
  await expect(page.getByRole('table', { name: 'Runs' }).locator('tr[data-key]')).toHaveCount(1)
  for (const nothing of [`${deploymentId}/threads`, `/${slug}/deployments/never-was/runs`]) {
    await page.goto(nothing)
    await expect(page.getByText('Not found', { exact: true })).toBeVisible()
  }
})
