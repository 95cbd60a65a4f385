import type { Page } from '@playwright/test'
import { addMember, admin, expect, giveCredentials, openDeployment, signIn, test } from './support/session'

const ended = /Your session has ended/

async function typeMessage(page: Page, text: string, who = admin) {
  await openDeployment(page, 'concierge', who)
  await page.getByRole('link', { name: 'Start a run' }).first().click()
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await page.getByLabel('Message', { exact: true }).last().fill(text)
}

test('an account disabled while filling in a form gets one error; after signing in again the form can be sent', async ({
  page,
  browser,
}) => {
  const pilot = await addMember(page, 'developer')
  const theirs = await browser.newContext()
  const other = await theirs.newPage()
  await typeMessage(other, 'Words that took an hour.', pilot)
  const row = page.getByRole('row').filter({ hasText: pilot.email })
  const change = async (verb: 'Disable' | 'Enable') => {
    await page.getByRole('button', { name: `Actions for ${pilot.email}` }).click()
    await page.getByRole('menuitem', { name: verb }).click()
    await page.getByRole('dialog').getByRole('button', { name: verb }).click()
    await expect(row.getByText('Disabled')).toHaveCount(verb === 'Disable' ? 1 : 0)
  }
  await change('Disable')
  await other.getByRole('button', { name: 'Start run' }).click()
  const said = other.getByRole('alert').filter({ hasText: ended })
  await expect(said).toHaveCount(1)
  const message = other.getByLabel('Message', { exact: true }).last()
  await expect(message).toHaveValue('Words that took an hour.')

  await change('Enable')
  const [beside] = await Promise.all([
    theirs.waitForEvent('page'),
    said.getByRole('button', { name: 'Sign in', exact: true }).click(), // next to a form, sign-in opens a new tab
  ])
  await giveCredentials(beside, pilot)
  await expect(beside.getByRole('heading', { name: 'concierge' })).toBeVisible()
  await expect(message).toHaveValue('Words that took an hour.')
  await other.getByRole('button', { name: 'Start run' }).click()
  await other.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  await theirs.close()
})

test('a session that ends before a read shows one error, and signing in restores what was typed', async ({
  page,
  context,
}) => {
  await typeMessage(page, 'Half a thought')
  await context.clearCookies()
  // A request from within the page: another assistant's schema.
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'approval (default)' })
  await expect(page.getByRole('main').getByText(ended)).toHaveCount(1)
  await expect(page.getByText(/This graph has no input schema/)).toHaveCount(0)

  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText(ended)).toHaveCount(0) // without a cookie it looks like a first visit
  await giveCredentials(page, admin)
  await page.waitForURL(/\/runs\/new/)
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'chat (default)' })
  await expect(page.getByLabel('Message', { exact: true }).last()).toHaveValue('Half a thought')
})

test('a list of a signed-out user shows one error and a link to sign in', async ({ page, context }) => {
  await signIn(page)
  await context.clearCookies()
  await page.getByLabel('Search by name').fill('work')
  const said = page.getByRole('main').getByText(ended)
  await expect(said).toHaveCount(1)
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
  await giveCredentials(page, admin)
  await page.waitForURL(/name_contains=work/)
  await expect(page.getByLabel('Search by name')).toHaveValue('work')
  await expect(page.getByRole('link', { name: 'workbench' })).toBeVisible()
})
