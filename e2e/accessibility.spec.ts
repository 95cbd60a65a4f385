import type { Page } from '@playwright/test'
import { axeOf, expect, openDeployment, signIn, startChat, test } from './support/session'

test.beforeEach(() => test.setTimeout(150_000)) // dozens of pages; the timeout only ends a hanging test

/** All rules in the light theme; in the dark one only contrast, which is all that differs. */
async function findsNothing(page: Page, place: string) {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect(page.locator(`html[data-theme=${theme}]:not([data-theme-changing])`)).toHaveCount(1)
    const axe = axeOf(page)
    const { violations } = await (theme === 'dark' ? axe.withRules('color-contrast') : axe).analyze()
    expect(violations.map(({ id, nodes }) => `${theme} ${place} ${id}: ${nodes[0]?.html.slice(0, 160)}`)).toEqual([])
  }
}

async function findsNothingOn(page: Page, paths: string[]) {
  for (const path of paths) {
    await page.goto(path)
    await expect(page.locator('main h1').first()).toBeVisible()
    await findsNothing(page, path)
  }
}

test('axe finds no violations on the sign-in page and the workspace pages, light and dark', async ({ page }) => {
  await page.goto('/sign-in?callbackUrl=/local/runs&error=CredentialsSignin')
  await findsNothing(page, 'sign-in')
  await signIn(page)
  await findsNothingOn(page, [
    '/local',
    '/local/deployments',
    '/local/deployments/new',
    '/local/runs',
    '/local/members',
    '/local/audit',
    '/local/traces/check',
    '/local/alerts',
    '/local/settings/listeners',
    '/local/settings/tokens',
    '/local/settings/prices',
    '/local/settings',
  ])
  await page.getByRole('button', { name: 'Add workspace' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Slug').fill('X')
  await dialog.getByLabel('Name', { exact: true }).fill('X')
  await dialog.getByLabel('Control plane URL').fill('http://127.0.0.1:1')
  await dialog.getByRole('button', { name: 'Add workspace' }).click()
  await expect(dialog.getByText(/Use 3 to 40 lower-case letters/)).toHaveCount(1)
  await findsNothing(page, 'a refused dialog')
})

test('axe finds no violations on the pages of a deployment, light and dark', async ({ page }) => {
  await openDeployment(page, 'concierge')
  const deploymentId = new URL(page.url()).pathname
  await findsNothingOn(
    page,
    ['', '/chat', '/runs/new', '/threads', '/assistants', '/revisions', '/traces', '/traces/compare'].map(
      (part) => deploymentId + part,
    ),
  )
  await findsNothingOn(
    page,
    ['', '/secrets', '/resources', '/danger'].map((part) => `${deploymentId}/settings${part}`),
  )
})

test('axe finds no violations on the pages of a run and its thread, light and dark', async ({ page }) => {
  await openDeployment(page, 'concierge')
  await startChat(page, 'What is 6 * 7?')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  const run = new URL(page.url()).pathname
  await page.getByRole('link', { name: 'Open thread' }).click()
  await page.waitForURL(/\/threads\//)
  const thread = new URL(page.url()).pathname
  await findsNothingOn(page, [run, `${run}?lens=events`, thread, `${thread}?tab=state`])
})
