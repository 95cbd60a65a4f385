import type { Locator, Page } from '@playwright/test'
import { startFleet } from './support/fleet'
import { agentOf } from './support/platform'
import { expect, openDeployment, signIn, startChat, test } from './support/session'
import { addControlPlane } from './support/workspace'

// Others: an answer in the Inbox in inbox-crons-store.spec.ts, a first message in interactions.spec.ts.

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible({ timeout: 30_000 })
  const hasFocus = () => target.evaluate((one) => one === document.activeElement)
  for (let tabs = 0; tabs < 40 && !(await hasFocus()); tabs++) await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

test('from the runs to a failed one and its retry by keyboard', async ({ page }) => {
  const { id, ask } = await agentOf('workbench')
  const { thread_id: thread } = await ask('POST', '/threads', {})
  const order = `K-${thread.slice(0, 8)}`
  await ask('POST', `/threads/${thread}/runs`, { assistant_id: 'failing', input: { order } })
  await expect.poll(async () => (await ask('GET', `/threads/${thread}`)).status, { timeout: 30_000 }).toBe('error')
  await signIn(page, '/local')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.waitForURL(/\/local\/runs$/)
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: new RegExp(order) })
  await expect(row).toBeVisible()
  const link = row.locator('a[data-row]')
  for (let rows = 0; rows < 40 && !(await link.evaluate((one) => one === document.activeElement)); rows++)
    await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  const failure = page.getByRole('region', { name: 'Failure' })
  await expect(failure).toBeVisible({ timeout: 30_000 })

  const failed = page.url()
  await tabTo(page, failure.getByRole('button', { name: 'Retry' }))
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname.includes(`/deployments/${id}/runs/`) && url.href !== failed)
  await expect(page.getByRole('region', { name: 'Failure' })).toBeVisible({ timeout: 30_000 })
})

test('what closes a part of the page by keyboard leaves the focus on what belongs to it', async ({ page }) => {
  const close = async (button: Locator) => {
    await tabTo(page, button)
    await page.keyboard.press('Enter')
  }
  await openDeployment(page, 'concierge')
  await startChat(page, 'Hello.')
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('tab', { name: /^Events/ }).click()
  const events = page.getByRole('listbox', { name: 'Events' })
  await events.focus()
  await page.keyboard.press('Home')
  await close(page.getByRole('region', { name: /^Entry/ }).getByRole('button', { name: 'Close' }))
  await expect(events).toBeFocused()

  const more = page.getByRole('button', { name: 'More actions' })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: /^Share/ }).press('Enter')
  await expect(page.getByRole('dialog', { name: 'Share run' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await more.press('Enter')
  await page.getByRole('menuitem', { name: /^Replay/ }).press('Enter')
  await close(page.getByRole('region', { name: 'Replay' }).getByRole('button', { name: 'Close replay' }))
  await expect(page.getByRole('tab', { name: /^Events/, selected: true })).toBeFocused()

  await page.getByRole('link', { name: 'Open thread' }).click()
  const toggle = page.getByRole('button', { name: 'Inspector', exact: true })
  await toggle.press('Enter')
  await close(page.getByRole('button', { name: 'Close inspector' }))
  await expect(toggle).toBeFocused()

  // It was left open, but a small screen has no room beside the conversation.
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await toggle.press('Enter')
  await expect(inspector).toBeVisible()
  await page.reload()
  await expect(inspector).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  await expect(inspector).toHaveCount(0)
})

test('a row with the focus is never behind what sticks to the top of the window', async ({ page }) => {
  const fleet = await startFleet(20)
  try {
    const workspace = await addControlPlane(page, { url: fleet.url, key: 'key' })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 500 })
      await page.goto(`/${workspace}/deployments`)
      await expect(page.getByRole('table', { name: 'Deployments' }).locator('tr[data-key]')).toHaveCount(20)
      for (let rows = 0; rows < 20; rows++) await page.keyboard.press('j')
      for (let rows = 0; rows < 19; rows++) {
        await page.keyboard.press('k')
        const isFree = await page.evaluate(() => {
          const at = document.activeElement?.closest('tr')?.getBoundingClientRect()
          const top = at && document.elementFromPoint(at.left + 60, at.top + 4)
          return top?.closest('tr') === document.activeElement?.closest('tr')
        })
        expect(isFree, `${width} px, row ${18 - rows}`).toBe(true)
      }
    }
  } finally {
    await fleet.stop()
  }
})
