import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/session'

test('the documentation is public, searches, follows the theme, and asks no other server', async ({
  page,
  baseURL,
}) => {
  const foreign: string[] = []
  const refused: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(baseURL ?? '')) foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text())
  })
  const response = await page.goto('/docs')
  const film = (await page.locator('video').getAttribute('src')) ?? 'none'
  const part = await page.request.get(film, { headers: { range: 'bytes=0-1' } })
  expect(part.status()).toBe(206)
  expect(await part.body()).toHaveLength(2)
  expect(part.headers()['content-range']).toMatch(/^bytes 0-1\/\d{6,}$/)
  expect(response?.headers()['content-security-policy']).toContain("script-src 'self';")
  await page.getByRole('main').getByRole('link', { name: 'Attach to it' }).click()
  await expect(page).toHaveURL(/\/docs\/start\/attach$/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Attach to a running agent server')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('ALLOWED_UPSTREAMS')
  await page.getByRole('option').filter({ hasText: 'Origins' }).first().click()
  await expect(page).toHaveURL(/\/docs\/start\/hosted#origins$/)
  await page.reload() // a page below a folder, as from a link
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Connect a hosted control plane')
  await page
    .getByRole('switch', { name: /dark theme/ })
    .first()
    .click()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await expectAccessible(page)
  expect((await page.goto('/docs/no-such-page'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'PAGE NOT FOUND' })).toBeVisible()
  await page.getByRole('banner').getByRole('link', { name: 'Console' }).click()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  expect(foreign).toEqual([])
  expect(refused.filter((text) => !/404/.test(text))).toEqual([])
})
