import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'

const base = new URL(process.env.SUB_PATH_URL ?? '')
const direct = `http://127.0.0.1:${process.env.CONSOLE_PORT}`
const below = (path: string) => `${base.pathname}${path}`
/** A pattern of addresses whose path begins below the base path. */
const at = (pattern: string) => new RegExp(`^${base.href}${pattern}`)

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

async function signIn(page: Page, path: string): Promise<void> {
  await page.goto(below(path))
  await expect(page).toHaveURL(at('/sign-in\\?callbackUrl='))
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password').fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
}

async function openConcierge(page: Page): Promise<void> {
  await signIn(page, '/local/deployments')
  await page.getByRole('link', { name: 'concierge', exact: true }).click()
  await expect(heading(page, 'concierge')).toBeVisible()
  await expect(page.getByText('Deployed', { exact: true }).first()).toBeVisible({ timeout: 90_000 })
}

/** No page, script, request or link of the console has led to the other site. */
test.afterEach(async ({ request }) => {
  expect(await (await request.get('/strays')).json()).toEqual([])
})

test('sign-in leads back, cookies are limited to the path, and a sign-out ends the session', async ({ page }) => {
  await signIn(page, '/local/runs?status=error')
  await expect(page).toHaveURL(at('/local/runs\\?status=error$'))
  const cookies = await page.context().cookies()
  expect(cookies.map(({ path }) => path)).toEqual(cookies.map(() => base.pathname))
  expect(cookies.map(({ name }) => name)).toContain(`pilothouse-${base.port}${base.pathname.replace('/', '-')}.session`)

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await expect(page).toHaveURL(at('/local/deployments$'))
  await expect(page.getByRole('progressbar', { name: 'Loading the page' })).toHaveCount(0)
  await page.goto(base.href)
  await expect(page).toHaveURL(at('/local'))

  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  await expect(page).toHaveURL(at('/sign-in'))
  await page.goto(below('/local/deployments'))
  await expect(page).toHaveURL(at('/sign-in\\?callbackUrl='))
})

test('a run is started, watched live, shared and exported', async ({ page, request }) => {
  await openConcierge(page)
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await page.getByLabel('Message', { exact: true }).last().fill('Please tell me about the harbour.')
  await page.getByRole('button', { name: 'Start run' }).click()
  await expect(page).toHaveURL(at('/local/deployments/[^/]+/runs/[0-9a-f-]{36}$'))
  const reply = page.getByRole('article', { name: 'AI message' }).last()
  // The text grows several times, so it is not read at the end alone.
  const lengths = new Set<number>()
  await expect
    .poll(async () => lengths.add(((await reply.textContent()) ?? '').length).size, { intervals: [50] })
    .toBeGreaterThanOrEqual(6)
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 60_000 })
  await page.reload()
  await expect(reply).toContainText('to the very end')

  await page.getByRole('button', { name: 'More actions' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^Export/ }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).toContain('Please tell me about the harbour.')

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Share/ }).click()
  await expect(page.getByRole('dialog').getByText(`${base.href}/public/open`)).toBeVisible()
  expect((await request.get(below('/public/open'))).status()).toBe(200)
})

test('a conversation keeps its address', async ({ page }) => {
  await openConcierge(page)
  await page.getByRole('link', { name: 'Chat', exact: true }).first().click()
  await expect(page).toHaveURL(at('/local/deployments/[^/]+/chat$'))
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What is 6 * 7?')
  await page.keyboard.press('Enter')
  await expect(page.getByText('The calculator says: 42.').first()).toBeVisible({ timeout: 60_000 })
  await expect(page).toHaveURL(at('/local/deployments/[^/]+/chat/[0-9a-f-]{36}$'))
  await page.reload()
  await expect(page.getByText('The calculator says: 42.').first()).toBeVisible()
})

test('a list is exported, and a token made in the settings reads the HTTP API', async ({ page, request }) => {
  await signIn(page, '/local/deployments')
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^JSON/ }).click()
  expect(JSON.parse(readFileSync(await (await download).path(), 'utf8')).is_whole).toBe(true)

  await page.goto(below('/local/settings/tokens'))
  const description = await page.getByRole('link', { name: /OpenAPI/ }).getAttribute('href')
  const { servers } = await (await request.get(description ?? '')).json()
  expect(servers).toEqual([{ url: `${base.href}/api/v1` }])
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('sub-path')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const made = page.getByRole('dialog', { name: 'Token sub-path' })
  await expect(made.getByText(`${base.href}/api/v1/deployments`)).toBeVisible()
  const token = (await made.getByText(/^pht_/).textContent()) ?? ''
  const headers = { authorization: `Bearer ${token.trim()}` }
  const answer = await request.get(`${servers[0].url}/deployments`, { headers })
  expect(answer.status()).toBe(200)
  expect((await answer.json()).deployments.map(({ name }: { name: string }) => name)).toContain('concierge')
})

test('the help of a page opens in the documentation of this console', async ({ page }) => {
  await signIn(page, '/local/runs')
  const help = (await page.getByRole('link', { name: 'Help for this page' }).getAttribute('href')) ?? ''
  await page.goto(help)
  await expect(page).toHaveURL(at('/docs/use/'))
  await page.getByRole('link', { name: 'Operate', exact: true }).first().click()
  await expect(page).toHaveURL(at('/docs/operate'))
  await expect(page.getByRole('heading', { name: 'Below a path' })).toHaveCount(1)
})

test('the first page has the headers of all others', async ({ request }) => {
  for (const path of ['', '/sign-in']) {
    const headers = (await request.get(below(path), { maxRedirects: 0 })).headers()
    expect(headers['content-security-policy'], path).toContain("script-src 'self' 'nonce-")
    expect(headers['x-frame-options'], path).toBe('DENY')
  }
})

test('probes need no path, and nothing else is served outside of it', async ({ request }) => {
  for (const path of ['/healthz', '/readyz', below('/healthz'), below('/readyz')])
    expect((await request.get(direct + path)).status(), path).toBe(200)
  for (const path of ['/', '/sign-in', '/api/auth/csrf', '/local/deployments', '/_next/static/x.js', '/pilothouses']) {
    const refused = await request.get(direct + path)
    expect(refused.status(), path).toBe(404)
    expect((await refused.json()).message).toBe('This console is below /pilothouse.')
  }
  const [icon] = (await (await request.get(below('/manifest.webmanifest'))).json()).icons
  expect((await request.get(below(`/${icon.src}`))).headers()['content-type']).toContain('image/svg+xml')
})
