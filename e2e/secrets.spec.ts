import type { Page } from '@playwright/test'
import { countInteractions } from './support/interactions'
import { ask } from './support/platform'
import { admin, deploymentPath, expect, pasteInto, signIn, signInAsViewer, test } from './support/session'

// Editing secrets as an administrator. That no value leaks is tested in canary.spec.ts.

const token = `token-${Math.random().toString(36).slice(2)}${Date.now()}`

const secretsPath = async () => `${await deploymentPath('workbench')}/settings/secrets`
async function openSecrets(page: Page) {
  await signIn(page, await secretsPath())
  await expect(page.getByRole('heading', { name: 'Secrets', exact: true })).toBeVisible()
}

async function send(page: Page) {
  await page.getByRole('button', { name: /^Review \d/ }).click()
  await page.getByRole('button', { name: 'Save and create revision' }).click()
}

const stored = async (): Promise<{ name: string; value: string }[]> =>
  (await ask('GET', '/v2/deployments?name_contains=workbench')).resources[0].secrets

test('a .env file is pasted, reviewed and sent; a concurrent edit is detected and neither change is lost', async ({
  page,
  browser,
}) => {
  await openSecrets(page)
  await pasteInto(
    page.getByLabel('Name of the new secret'),
    `# ours\nexport API_TOKEN="${token}"\nSHARED=one\nPOSTGRES_URI=x\nKEY="a\r\nb"\nno setting\n`,
  )
  await expect(page.getByText('Line 7 skipped')).toBeVisible()
  await expect(page.getByText('POSTGRES_URI is set by the platform')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Review 4 changes' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Discard POSTGRES_URI' }).click()

  // The draft survives navigation, in memory only.
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByRole('heading', { name: 'Running' })).toBeVisible()
  await page.goBack()
  await page.getByRole('button', { name: 'Review 3 changes' }).click()
  await expect(page.getByRole('dialog')).toContainText('new revision')
  await expect(page.getByRole('region', { name: 'Added' })).toContainText('API_TOKEN')
  await page.getByRole('button', { name: 'Save and create revision' }).click()
  await expect(page.getByRole('link', { name: 'View revision' })).toBeVisible()
  const row = page.getByRole('row', { name: /SHARED/ })
  await expect(row).toContainText(admin.email)
  const fingerprint = await row.getByRole('cell').nth(1).textContent()
  expect(await stored()).toEqual([
    { name: 'API_TOKEN', value: token },
    { name: 'SHARED', value: 'one' },
    { name: 'KEY', value: 'a\r\nb' },
  ])

  const theirs = await browser.newContext()
  const other = await theirs.newPage()
  await openSecrets(other)
  await other.getByRole('button', { name: 'Replace or rename SHARED' }).click()
  await other.getByLabel('New value of SHARED').fill('theirs')
  await other.getByRole('button', { name: 'Remove KEY' }).click()
  await send(other)
  await expect(other.getByRole('link', { name: 'View revision' })).toBeVisible()
  expect(
    await other
      .getByRole('row', { name: /SHARED/ })
      .getByRole('cell')
      .nth(1)
      .textContent(),
  ).not.toBe(fingerprint)
  // Who removed it is on Home, and one click away in the audit trail.
  await other.goto('/local')
  const said = `${admin.email} removed secret KEY, set secret SHARED of workbench`
  const changes = other.getByRole('region', { name: 'Recent changes' })
  await expect(changes.getByRole('listitem').filter({ hasText: said })).toBeVisible()
  const interactions = await countInteractions(other)
  await changes.getByRole('link', { name: 'Audit' }).click()
  await expect(other.getByRole('row', { name: said })).toContainText('Done')
  expect(interactions()).toBe(1)

  await page.getByRole('button', { name: 'Replace or rename SHARED' }).click()
  await page.getByLabel('New value of SHARED').fill('mine')
  await page.getByLabel('New name of SHARED').fill('SHARED_BY_US')
  await page.getByLabel('Name of the new secret').fill('MINE')
  await page.getByLabel('Value of the new secret').fill('new')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await send(page)
  const both = page.getByRole('list', { name: 'Conflicting changes' }).getByRole('listitem')
  await expect(both.filter({ hasText: /^KEY/ })).toContainText('Theirs is kept')
  await page.getByRole('button', { name: 'Merge into draft' }).click()
  await send(page)
  await expect(page.getByRole('link', { name: 'View revision' })).toBeVisible()
  expect(await stored()).toEqual([
    { name: 'API_TOKEN', value: token },
    { name: 'SHARED_BY_US', value: 'mine' },
    { name: 'MINE', value: 'new' },
  ])

  await page.reload()
  await expect(page.getByRole('row', { name: /API_TOKEN/ })).toBeVisible()
  await theirs.close()
})

test('a viewer sees the names but cannot change anything', async ({ page }) => {
  await signInAsViewer(page, await secretsPath())
  const [first] = await stored()
  await expect(page.getByRole('row', { name: new RegExp(first?.name ?? '-') })).toBeVisible()
  for (const name of ['Review changes', 'Edit as text', 'Add', `Remove ${first?.name}`]) {
    const button = page.getByRole('button', { name, exact: true })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAttribute('title', /admin/)
  }
  await expect(page.getByLabel('Name of the new secret')).toBeDisabled()
})
